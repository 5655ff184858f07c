"""No exception is so odd that it would hide that it happened."""

from __future__ import annotations

import contextlib
import json
from typing import Any, NoReturn

import pytest

from session_datasets.client.errors import ProblemError, SessionDatasetsError
from session_datasets.domain.redaction import MASK
from session_datasets.feedback import as_feedback, feedback_of
from session_datasets.feedback.fitting import FEEDBACK_BYTES_MAX, size_of
from session_datasets.feedback.words import NO_DETAIL, detail_of, traceback_of
from session_datasets.wire.problem import ProblemModel


class Silent(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")

    __repr__ = __str__


class WrongType(Exception):
    def __str__(self) -> str:
        return 7  # type: ignore[return-value]


class WithoutDetail(SessionDatasetsError):
    def __init__(self) -> None:
        Exception.__init__(self)


class Hostile(Exception):
    @property
    def response(self) -> NoReturn:
        raise RuntimeError("no attribute")


def cyclic() -> Exception:
    first, second = ValueError("first"), KeyError("second")
    first.__cause__, second.__cause__ = second, first
    return first


def chain(length: int) -> Exception:
    error: Exception = ValueError("root")
    for number in range(length):
        outer = ValueError(f"outer {number}")
        outer.__cause__ = error
        error = outer
    return error


ODD: dict[str, tuple[Exception, str]] = {
    "no text": (ValueError(), NO_DETAIL),
    "a text that raises": (Silent(), NO_DETAIL),
    "a text that is a number": (WrongType(), NO_DETAIL),
    "bytes": (ValueError(b"caf\xc3\xa9 \xff"), "café \\xff"),
    "a circle of causes": (cyclic(), "first Caused by KeyError: 'second'"),
    "one of ours without its fields": (WithoutDetail(), NO_DETAIL),
    "an attribute that raises": (Hostile("x"), "x"),
    "a group": (ExceptionGroup("both", [ValueError("a"), KeyError("b")]), "ValueError: a KeyError: 'b'"),
    "half a surrogate pair": (ValueError("x\ud800"), "x\\ud800"),
}


@pytest.mark.parametrize("case", ODD)
def test_it_is_told_by_its_type_and_whatever_it_says(case: str) -> None:
    error, said = ODD[case]
    feedback = feedback_of(error)
    assert feedback.error_type == type(error).__name__
    assert said in feedback.detail
    assert size_of(feedback) <= FEEDBACK_BYTES_MAX


def test_whatever_is_told_can_be_written_as_utf_8(caplog: pytest.LogCaptureFixture) -> None:
    half = "\ud800"
    feedback = feedback_of(ValueError(f"detail {half}"), what=f"call {half}", submitted={"name": half})
    assert feedback.text().encode().decode() == feedback.text()
    assert json.dumps(feedback.structured(), ensure_ascii=False).encode()
    assert "detail \\ud800" in caplog.text.encode().decode()


class Nameless(type):
    def __getattribute__(cls, name: str) -> Any:
        if name in ("__name__", "__qualname__", "__module__"):
            raise RuntimeError("no name")
        return super().__getattribute__(name)


class Hidden(Exception, metaclass=Nameless):
    pass


def test_a_class_that_hides_its_name_is_told_by_the_one_it_was_given() -> None:
    feedback = feedback_of(Hidden("x"), submitted=[Hidden("y")])
    assert (feedback.error_type, feedback.detail) == ("Hidden", "x")
    caused = ValueError("y")
    caused.__cause__ = Hidden("z")
    assert detail_of(caused) == "y Caused by Hidden: z"


def test_a_tool_that_raises_an_exception_without_a_name_answers() -> None:
    @as_feedback
    def tool() -> None:
        raise Hidden("x")

    assert "Error type: Hidden (unexpected)" in tool()


def test_arguments_that_would_be_accepted_are_told_with_half_a_surrogate_pair_spelled_out() -> None:
    wanted = {"name\udc00": "a\ud800", "city": "Zürich"}
    about: dict[str, Any] = {
        "type": "x",
        "title": "x",
        "status": 400,
        "detail": "x",
        "code": "x",
        "advice": "x",
        "retryable": False,
    }
    feedback = feedback_of(ProblemError(ProblemModel.model_construct(**about, retry_with=wanted)))
    assert feedback.retry_with == {"name\\udc00": "a\\ud800", "city": "Zürich"}
    assert feedback.text().encode().decode() == feedback.text()


def test_of_many_causes_the_nearest_are_told() -> None:
    detail = feedback_of(chain(20)).detail
    assert detail.startswith("outer 19 Caused by ValueError: outer 18 ")
    assert detail.count("Caused by") == 3


def test_huge_text_is_cut_and_its_secrets_are_gone() -> None:
    error = ValueError("DB_PASSWORD=hunter2 " + "x" * 50_000_000)
    feedback = feedback_of(error)
    assert feedback.detail.startswith("DB_PASSWORD=***")
    assert size_of(feedback) <= FEEDBACK_BYTES_MAX


def test_a_secret_at_the_place_where_huge_text_is_cut_is_gone() -> None:
    error = ValueError("mysql://ana:" + "hunter2" * 1_000_000 + "@host")
    assert "hunter" not in feedback_of(error).text()
    assert MASK in feedback_of(error).detail


def test_causes_are_redacted() -> None:
    error = ValueError("failed")
    error.__cause__ = OSError("PGPASSWORD=hunter2")
    assert feedback_of(error).detail == "failed Caused by OSError: PGPASSWORD=***"


def circle() -> list[Any]:
    items: list[Any] = []
    items.append(items)
    return items


class Unshowable:
    def __repr__(self) -> str:
        raise RuntimeError("no words")


@pytest.mark.parametrize(
    ("submitted", "shown"),
    [
        ({"b": 1, "a": "é"}, '{"a": "é", "b": 1}'),
        ({1: "a", "b": 2}, "{1: 'a', 'b': 2}"),
        (circle(), "[[...]]"),
        ({"frame": Unshowable()}, '{"frame": "<Unshowable>"}'),
        ({"dsn": "mysql://u:hunter2@h", "password": "hunter2"}, '{"dsn": "mysql://***@h", "password": "***"}'),
        (b"\xff", "\"b'\\\\xff'\""),
    ],
    ids=["arguments", "mixed names", "a circle", "unshowable", "secrets", "raw"],
)
def test_what_was_submitted_is_shown_whatever_it_is(submitted: object, shown: str) -> None:
    assert feedback_of(ValueError("x"), submitted=submitted).submitted == shown


def test_a_label_with_lines_and_secrets_is_one_short_line() -> None:
    feedback = feedback_of(ValueError("x"), what="query\nNext step: token=hunter2 " + "x" * 100)
    assert "\n" not in feedback.what
    assert "hunter2" not in feedback.what
    assert len(feedback.what.encode()) <= 48


def test_an_empty_label_is_a_call() -> None:
    assert feedback_of(ValueError("x"), what="  ").what == "call"


class Counted(ExceptionGroup):
    told = 0

    def __str__(self) -> str:
        type(self).told += 1
        return "group"

    def derive(self, excs: Any) -> Any:
        return Counted("group", excs)


def test_of_groups_within_groups_a_few_members_are_told_however_deep_they_lie() -> None:
    error: Exception = ValueError("leaf")
    for _ in range(40):
        error = Counted("group", [error] * 5)
    Counted.told = 0
    assert "Counted: group" in detail_of(error)
    assert Counted.told <= 10


def test_of_groups_within_groups_the_operator_is_told_where_the_outermost_was_raised() -> None:
    error: Exception = ValueError("leaf")
    for _ in range(40):
        error = Counted("group", [error] * 5)
    with contextlib.suppress(Counted):
        raise error
    Counted.told = 0
    told = traceback_of(error)
    assert "raise error" in told
    assert told.endswith("(more exceptions came with it than are shown)\n")
    assert Counted.told <= 10


def test_a_group_of_few_is_shown_whole_to_the_operator() -> None:
    told = traceback_of(ExceptionGroup("both", [ValueError("a"), ExceptionGroup("inner", [KeyError("b")])]))
    assert [each for each in ("ValueError: a", "KeyError: 'b'", "2 ----") if each in told] == [
        "ValueError: a",
        "KeyError: 'b'",
        "2 ----",
    ]


def test_the_members_of_groups_are_told_in_their_order() -> None:
    inner = ExceptionGroup("in", [ValueError("a"), ValueError("b")])
    error = ExceptionGroup("out", [inner, ValueError("c"), ValueError("d"), ValueError("not told")])
    assert detail_of(error) == (
        "out (4 sub-exceptions) ExceptionGroup: in (2 sub-exceptions) ValueError: a ValueError: b ValueError: c "
        "ValueError: d"
    )


def test_a_member_without_words_hides_none_beside_it() -> None:
    assert "ValueError: a" in detail_of(ExceptionGroup("both", [Silent(), ValueError("a")]))
