"""Whatever a tool raises is its result, and never ends the turn; what is meant to end it does."""

from __future__ import annotations

import asyncio
import builtins
import concurrent.futures
import functools
import inspect
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.errors import GraphInterrupt
from temporalio.exceptions import CancelledError as TemporalCancelledError

from session_datasets.client.errors import error_of
from session_datasets.domain.errors import ProblemCode
from session_datasets.feedback import Failures, Feedback, SessionBudget, as_feedback
from tests.unit.client.test_errors import problem


def raising(error: BaseException, **options: Any) -> Any:
    @as_feedback(**options)
    def query(sql: str = "SELECT 1", limit: int = 5) -> str:
        raise error

    return query


def test_a_result_is_passed_through() -> None:
    @as_feedback
    def add(a: int, b: int) -> int:
        return a + b

    assert add(1, b=2) == 3


@pytest.mark.parametrize(
    "error",
    [ValueError("x"), error_of(problem(ProblemCode.NOT_FOUND)), OSError(5, "x"), AssertionError(), StopIteration()],
)
def test_an_exception_becomes_the_result(error: Exception) -> None:
    text = raising(error)(sql="SELECT 1")
    assert type(error).__name__ in text
    assert 'Submitted query call:\n{"sql": "SELECT 1"}' in text
    assert "Correlation id: cor-" in text


KINDS = sorted(
    (kind for kind in vars(builtins).values() if isinstance(kind, type) and issubclass(kind, Exception)),
    key=lambda kind: kind.__name__,
)


@given(st.sampled_from(KINDS), st.lists(st.none() | st.integers() | st.text() | st.binary(), max_size=3))
def test_any_exception_becomes_the_result(kind: type[Exception], arguments: list[Any]) -> None:
    try:
        error = kind(*arguments)
    except (TypeError, ValueError):
        # Some ask for arguments of a certain kind; this is not about them.
        return
    assert raising(error)().startswith("Error: the query call did NOT complete")


def test_wrong_arguments_become_the_result() -> None:
    assert "unexpected keyword argument" in raising(ValueError())(nonsense=1)


@pytest.mark.parametrize(
    "error",
    [
        KeyboardInterrupt(),
        SystemExit(1),
        GeneratorExit(),
        asyncio.CancelledError(),
        concurrent.futures.CancelledError(),
        TemporalCancelledError("x"),
        GraphInterrupt(),
    ],
    ids=lambda error: f"{type(error).__module__}.{type(error).__name__}",
)
def test_what_ends_or_pauses_a_turn_on_purpose_passes(error: BaseException) -> None:
    with pytest.raises(type(error)):
        raising(error)()


def test_an_async_tool_is_answered_likewise() -> None:
    @as_feedback(what="query")
    async def query(sql: str) -> str:
        await asyncio.sleep(0)
        if sql == "good":
            return "rows"
        raise ValueError("bad")

    assert inspect.iscoroutinefunction(query)
    assert asyncio.run(query("good")) == "rows"
    assert asyncio.run(query("bad")).startswith("Error: the query did NOT complete")


def test_the_cancellation_of_an_async_tool_passes() -> None:
    @as_feedback
    async def query() -> None:
        await asyncio.Event().wait()

    async def cancelled() -> bool:
        task = asyncio.create_task(query())
        await asyncio.sleep(0)
        task.cancel()
        try:
            await task
        except asyncio.CancelledError:
            return True
        return False

    assert asyncio.run(cancelled())


def test_the_result_has_the_form_that_is_asked_for() -> None:
    structured = raising(ValueError("x"), into=Feedback.structured)()
    assert (structured["error_type"], structured["execution"]) == ("ValueError", "not_completed")
    assert isinstance(raising(ValueError("x"), into=lambda feedback: feedback)(), Feedback)


def test_the_same_call_again_is_known_however_it_is_written() -> None:
    query = raising(ValueError("x"))
    assert "has now failed" not in query("SELECT 1", 3)
    assert "has now failed 2 times" in query(limit=3, sql="SELECT 1")
    assert "has now failed" not in query("SELECT 2", 3)


def test_a_success_in_between_begins_anew() -> None:
    outcomes = iter([ValueError("x"), None, ValueError("x")])

    @as_feedback
    def query() -> str:
        if error := next(outcomes):
            raise error
        return "rows"

    assert "has now failed" not in query()
    assert query() == "rows"
    assert "has now failed" not in query()


def test_tools_may_share_what_they_remember() -> None:
    failures = Failures()
    raising(ValueError("x"), what="query", failures=failures)("a")
    assert "has now failed 2 times" in raising(ValueError("x"), what="query", failures=failures)("a")


def test_name_signature_and_docs_of_a_tool_stay() -> None:
    @as_feedback
    def query(sql: str) -> str:
        """Runs it."""
        return sql

    assert (query.__name__, query.__doc__) == ("query", "Runs it.")
    assert list(inspect.signature(query).parameters) == ["sql"]


def test_secrets_of_arguments_are_not_repeated() -> None:
    @as_feedback
    def connect(url: str, password: str) -> None:
        raise ValueError(f"cannot connect to {url}")

    text = connect("mysql://ana:hunter2@db", password="hunter2")
    assert "hunter2" not in text
    assert "mysql://***@db" in text


def test_an_object_whose_call_is_async_is_awaited_and_its_failure_is_the_result() -> None:
    class Tool:
        async def __call__(self, sql: str) -> str:
            raise ValueError("no table t")

    for tool in (Tool(), functools.partial(Tool(), sql="x")):
        guarded = as_feedback(what="query")(tool)
        assert inspect.iscoroutinefunction(guarded)
        assert "no table t" in asyncio.run(guarded(sql="SELECT 1"))


def test_a_partial_of_an_async_function_is_awaited() -> None:
    async def query(sql: str, limit: int) -> str:
        raise ValueError("no table t")

    assert "no table t" in asyncio.run(as_feedback(functools.partial(query, limit=5))("SELECT 1"))


def test_what_yields_its_results_is_refused_when_it_is_decorated() -> None:
    def rows() -> Any:
        yield 1

    async def later() -> Any:
        yield 1

    class Rows:
        def __call__(self) -> Any:
            yield 1

    for tool in (rows, later, Rows(), functools.partial(rows)):
        with pytest.raises(TypeError, match="returns all of them"):
            as_feedback(tool)


@pytest.mark.parametrize("method", ["items", "keys", "__iter__", "__len__", "__repr__", "__getitem__", "__bool__"])
@pytest.mark.parametrize("raised", [RuntimeError("odd"), KeyError("odd"), OSError("odd")], ids=["run", "key", "os"])
def test_an_argument_whose_own_methods_raise_leaves_a_success_one(method: str, raised: Exception) -> None:
    def raise_it(*_: Any) -> Any:
        raise raised

    argument = type("Odd", (dict,), {method: raise_it})({"a": 1})

    @as_feedback
    def query(given: Any) -> str:
        return "done"

    assert query(argument) == "done"


def test_an_argument_whose_own_methods_raise_hides_no_failure() -> None:
    class Odd(dict[str, int]):
        def items(self) -> Any:
            raise RuntimeError("odd")

    @as_feedback
    def query(given: Any) -> str:
        raise ValueError("no table t")

    assert "no table t" in query(Odd(a=1))


class TestRejections:
    """Of some exceptions an engine's user knows that nothing was run."""

    def test_they_are_told_as_not_executed(self) -> None:
        assert raising(KeyError("no table t"), what="query", rejections=(LookupError,))().startswith(
            "Error: the query was NOT executed"
        )

    def test_any_other_is_told_as_one_of_which_nobody_knows(self) -> None:
        assert raising(ValueError("odd"), what="query", rejections=(LookupError,))().startswith(
            "Error: the query did NOT complete"
        )

    def test_an_error_that_says_more_keeps_its_own_family(self) -> None:
        query = as_feedback(what="query", rejections=(Exception,))(SessionBudget(1).charge)
        assert "was executed, but its result is withheld" in query(2)


def test_what_an_async_tool_raises_behind_a_plain_one_is_a_result() -> None:
    async def tool(sql: str) -> str:
        raise ValueError("no table t")

    @as_feedback(failures=(failures := Failures()))
    def query(sql: str) -> Any:
        return tool(sql)

    told = [asyncio.run(query("SELECT 1")) for _ in range(2)]
    assert "no table t" in told[0]
    assert "Do not make it again unchanged" in told[1]
    assert failures.failed("query call", {"sql": "SELECT 1"}) == 3


def test_what_an_async_tool_answers_behind_a_plain_one_is_its_result() -> None:
    async def tool() -> str:
        return "done"

    assert asyncio.run(as_feedback(lambda: tool())()) == "done"


@pytest.mark.parametrize("odd", [lambda: (1 // each for each in [0]), lambda: numbers_later()], ids=["plain", "async"])
def test_a_generator_that_a_tool_returns_is_refused_as_feedback(odd: Any) -> None:
    assert "returns all of them" in as_feedback(odd)()


async def numbers_later() -> Any:
    yield 1
