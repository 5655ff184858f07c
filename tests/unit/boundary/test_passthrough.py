"""Modules that a workflow's sandbox takes from the worker."""

from __future__ import annotations

import pytest

from session_datasets.boundary.passthrough import default_passthrough_modules, resolve_passthrough_modules


def test_the_package_and_the_frameworks_are_passed_through() -> None:
    assert {"session_datasets", "pydantic", "langchain_core", "deepagents", "numpy"} <= {*default_passthrough_modules()}


def test_what_calls_the_cloud_or_draws_a_chance_is_not() -> None:
    assert not {"boto3", "botocore", "random", "uuid", "time"} & {*default_passthrough_modules()}


def test_the_users_modules_come_after_the_defaults_each_once() -> None:
    merged = resolve_passthrough_modules(["mine", "numpy", "mine.sub"])
    assert merged == (*default_passthrough_modules(), "mine", "mine.sub")


@pytest.mark.parametrize("nothing", [None, ()], ids=["none", "empty"])
def test_without_modules_of_the_users_the_defaults_stand(nothing: tuple[str, ...] | None) -> None:
    assert resolve_passthrough_modules(nothing) == default_passthrough_modules()


def test_one_text_is_no_list_of_modules() -> None:
    with pytest.raises(TypeError, match="a list of names"):
        resolve_passthrough_modules("numpy")


@pytest.mark.parametrize("name", ["", "a/b", "a..b", "-x", 3], ids=repr)
def test_what_is_no_name_of_a_module_is_refused(name: object) -> None:
    with pytest.raises(ValueError, match="no name of a module"):
        resolve_passthrough_modules([name])  # type: ignore[list-item]
