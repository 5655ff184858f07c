"""Every error of the product has its example in docs/errors.md, as it is really told."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TypeVar

import pytest

import session_datasets
from session_datasets.boundary.references.errors import DatasetReferenceError
from session_datasets.boundary.temporal import failures
from session_datasets.boundary.typed.errors import TypedJsonError
from session_datasets.client.errors import ProblemError, SessionDatasetsError
from session_datasets.domain.errors import ProblemCode
from session_datasets.feedback.explaining import _FOREIGN_CODES
from tests.contract.raised.showing import Place, code_of_kind
from tests.contract.told import EXAMPLES
from tests.support.moto_cloud import MotoCloud

DOCUMENTED = (Path(__file__).parents[2] / "docs" / "errors.md").read_text()
PACKAGE = Path(session_datasets.__file__).parent
# Where the functions live, and what only they import: none of it is raised in a node.
SERVER = ("formats", "storage", "operations", "runtime")
E = TypeVar("E", bound=Exception)


def modules() -> Iterator[str]:
    for found in pkgutil.walk_packages([str(PACKAGE)], "session_datasets."):
        if found.name.split(".")[1] not in SERVER:
            yield found.name


@cache
def called_names() -> frozenset[str]:
    """Every name that something in the package is called by: an exception is raised by calling its class."""
    trees = [ast.parse(file.read_text()) for file in PACKAGE.rglob("*.py")]
    calls = [node.func for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return frozenset(call.attr if isinstance(call, ast.Attribute) else getattr(call, "id", "") for call in calls)


def kinds_of(base: type[E]) -> set[type[E]]:
    """``base`` and all that is derived from it in the package, wherever. One that others are derived from and that
    nothing raises is a family of errors, and none of them."""
    for name in modules():
        importlib.import_module(name)
    ahead, found = [base], set()
    while ahead:
        kind = ahead.pop()
        children = [each for each in kind.__subclasses__() if each.__module__.startswith("session_datasets.")]
        ahead += children
        if not children or kind.__name__ in called_names():
            found.add(kind)
    return found


def codes_of_the_tree() -> set[str]:
    ours = {code_of_kind(kind) for kind in kinds_of(SessionDatasetsError) if not issubclass(kind, ProblemError)}
    typed = {kind.code for kind in kinds_of(TypedJsonError)}
    temporal = {each for name, each in vars(failures).items() if name.isupper() and isinstance(each, str)}
    return ours | typed | temporal | set(_FOREIGN_CODES.values())


def test_the_look_into_the_tree_sees_errors_of_every_room() -> None:
    rooms = {kind.__module__.split(".")[1] for kind in kinds_of(SessionDatasetsError)}
    assert rooms == {"client", "feedback", "materialize", "boundary", "tools"}
    assert {"wrong-call", "no-such-file", "checksum", "unreadable-reference", "source-failed"} <= codes_of_the_tree()
    assert {"too_deep", "PayloadGone", "engine-rejected"} <= codes_of_the_tree()
    assert not {"dataset-reference", "materialize", "typed_json"} & codes_of_the_tree()


def test_no_code_of_the_tree_is_left_out_of_the_document() -> None:
    assert codes_of_the_tree() - set(EXAMPLES) == set()


def test_the_document_shows_nothing_that_is_not_in_the_tree() -> None:
    shown = {line.removeprefix("### ") for line in DOCUMENTED.splitlines() if line.startswith("### ")}
    # Two families of which an application may raise a kind of its own.
    assert shown == codes_of_the_tree() | {"guard", "session-datasets"}


def test_no_two_errors_share_a_code() -> None:
    kinds = kinds_of(SessionDatasetsError)
    codes = [code_of_kind(kind) for kind in kinds if not issubclass(kind, ProblemError)]
    assert len(set(codes)) == len(codes)
    assert not set(codes) & set(ProblemCode)


@pytest.mark.parametrize("code", EXAMPLES)
def test_every_code_of_feedback_is_documented_with_what_a_model_is_told(
    code: str, cloud: MotoCloud, tmp_path: Path
) -> None:
    shown = DOCUMENTED.split(f"\n### {code}\n")[1].split("```text\n")[1].split("\n```")[0]
    assert shown == EXAMPLES[code](Place(cloud, tmp_path))


def test_the_words_by_which_programs_tell_references_apart_are_documented() -> None:
    section = DOCUMENTED.split("\n## References that were not followed\n")[1].split("\n### ")[0]
    words = [section.find(f"`{kind.code}`") for kind in DatasetReferenceError.__subclasses__()]
    assert -1 not in words
    assert words == sorted(words)
