from __future__ import annotations

import pytest

from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.limits import ID_CHARACTERS_MAX
from session_datasets.domain.scope import Scope, checked_id
from tests.support.builders import a_caller

MADE = Scope("acme", "ses-1", "talk-1", "run-1")


@pytest.mark.parametrize(
    "caller",
    [
        a_caller(session_id="ses-1", conversation_id=None, run_id=None),
        a_caller(session_id="ses-2", conversation_id="talk-1", run_id=None),
        a_caller(session_id="ses-2", conversation_id=None, run_id="run-1"),
    ],
    ids=["same session", "same conversation", "same run"],
)
def test_visible_to_the_same_owner_sharing(caller: object) -> None:
    assert MADE.visible_to(caller)  # type: ignore[arg-type]


def test_another_owner_sees_nothing_even_with_all_ids_equal() -> None:
    assert not MADE.visible_to(a_caller(owner="other", session_id="ses-1", conversation_id="talk-1", run_id="run-1"))


def test_another_session_conversation_and_run_of_the_owner_see_nothing() -> None:
    assert not MADE.visible_to(a_caller(session_id="ses-2", conversation_id="talk-2", run_id="run-2"))


def test_two_absent_conversations_are_not_the_same_one() -> None:
    alone = Scope("acme", "ses-1", None, None)
    assert not alone.visible_to(a_caller(session_id="ses-2", conversation_id=None, run_id=None))


@pytest.mark.parametrize("value", ["a", "A9._@-", "x" * ID_CHARACTERS_MAX])
def test_an_id_of_the_allowed_characters_passes(value: str) -> None:
    assert checked_id("owner", value) == value


@pytest.mark.parametrize(
    "value",
    [
        "",
        ".",
        "..",
        "a/b",
        "a#b",
        "a b",
        "a\0",
        "a\n",
        "_derived",
        "-a",
        "ä",
        "ａ",
        "a%2e",
        "x" * (ID_CHARACTERS_MAX + 1),
    ],
)
def test_anything_else_is_refused(value: str) -> None:
    with pytest.raises(Refusal) as refused:
        checked_id("owner", value)
    assert refused.value.problem.code is ProblemCode.INVALID_REQUEST
