"""Packages that load what they offer when it is asked for."""

from __future__ import annotations

import importlib

import pytest

from session_datasets.lazy import offered

PACKAGES = [
    "session_datasets",
    "session_datasets.boundary",
    "session_datasets.boundary.references",
    "session_datasets.boundary.temporal",
    "session_datasets.feedback",
    "session_datasets.materialize",
    "session_datasets.tools",
]


@pytest.mark.parametrize("package", PACKAGES)
def test_every_name_that_a_package_offers_is_there_and_listed(package: str) -> None:
    module = importlib.import_module(package)
    assert [name for name in module.__all__ if not hasattr(module, name)] == []
    assert set(module.__all__) <= set(dir(module))


@pytest.mark.parametrize("package", PACKAGES)
def test_any_other_name_is_none(package: str) -> None:
    with pytest.raises(AttributeError, match=f"^module '{package}' has no attribute 'nothing'$"):
        _ = importlib.import_module(package).nothing


def test_a_name_may_be_another_one_at_home() -> None:
    load, _ = offered("session_datasets", {"Reference": "wire.reference:ReferenceModel"})
    assert load("Reference").__name__ == "ReferenceModel"


def test_what_is_missing_is_said_before_a_module_is_loaded() -> None:
    def refuse() -> None:
        raise LookupError("the extra is missing")

    load, _ = offered("session_datasets", {"Reference": "no.such.module"}, before=refuse)
    with pytest.raises(LookupError, match="extra"):
        load("Reference")
