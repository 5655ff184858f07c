"""Tool functions whose every failure is a result."""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncGenerator, Callable, Generator
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar, overload

from session_datasets.feedback.explaining import feedback_of
from session_datasets.feedback.failures import Failures
from session_datasets.feedback.model import Feedback

P = ParamSpec("P")
R = TypeVar("R")

# Exceptions that carry control and not failure, though they derive from Exception: a pause for a person, a
# cancellation. Known by name, so that no framework is imported for them.
_PASSING = frozenset(
    {
        ("langgraph.errors", "GraphBubbleUp"),
        ("temporalio.exceptions", "CancelledError"),
        ("concurrent.futures._base", "CancelledError"),
    }
)


def passes(error: BaseException) -> bool:
    """Whether an exception has to reach whoever runs the tool: it ends or pauses the turn on purpose."""
    return not isinstance(error, Exception) or any(_is_passing(kind) for kind in type(error).__mro__)


def _is_passing(kind: type) -> bool:
    try:
        return (kind.__module__, kind.__name__) in _PASSING
    except Exception:
        # A class of a class that hides its name is none of these.
        return False


@overload
def as_feedback(tool: Callable[P, R], /) -> Callable[P, Any]: ...


@overload
def as_feedback(
    *,
    what: str | None = ...,
    rejections: tuple[type[Exception], ...] = ...,
    failures: Failures | None = ...,
    into: Callable[[Feedback], Any] = ...,
) -> Callable[[Callable[P, R]], Callable[P, Any]]: ...


def as_feedback(
    tool: Callable[..., Any] | None = None,
    /,
    *,
    what: str | None = None,
    rejections: tuple[type[Exception], ...] = (),
    failures: Failures | None = None,
    into: Callable[[Feedback], Any] = Feedback.text,
) -> Callable[..., Any]:
    """Decorates a tool function, or an async one: whatever it raises is returned as feedback, and never ends the turn.

    ``what`` is the label (the function's name and "call"), ``rejections`` are the exceptions by which an engine refuses
    what it was given and has run nothing of it, ``into`` makes the result of the feedback (its text).
    KeyboardInterrupt, SystemExit, cancellations and LangGraph's interrupts pass.
    """
    if tool is None:
        return lambda decorated: as_feedback_of(decorated, what, failures, into, rejections)
    return as_feedback_of(tool, what, failures, into, rejections)


def as_feedback_of(
    tool: Callable[..., Any],
    what: str | None,
    failures: Failures | None,
    into: Callable[[Feedback], Any],
    rejections: tuple[type[Exception], ...] = (),
) -> Callable[..., Any]:
    named = what or f"{getattr(tool, '__name__', 'tool')} call"
    guard = _Guard(named, failures if failures is not None else Failures(), into, rejections, inspect.signature(tool))
    if _yields(tool):
        raise guard.yielding()
    if _is_async(tool):

        @functools.wraps(tool)
        async def answering_later(*args: Any, **kwargs: Any) -> Any:
            given = guard.given(args, kwargs)
            try:
                coming = tool(*args, **kwargs)
            except Exception as error:
                return guard.failed(error, given)
            return await guard.awaited(coming, given)

        return answering_later

    @functools.wraps(tool)
    def answering(*args: Any, **kwargs: Any) -> Any:
        given = guard.given(args, kwargs)
        try:
            result = tool(*args, **kwargs)
            if isinstance(result, Generator | AsyncGenerator):
                raise guard.yielding()
        except Exception as error:
            return guard.failed(error, given)
        # Awaitable where a plain function only hands on what an async one gave it.
        return guard.awaited(result, given) if inspect.isawaitable(result) else guard.succeeded(result, given)

    return answering


@dataclass(frozen=True, slots=True)
class _Guard:
    """What becomes of one tool's results and failures."""

    named: str
    failures: Failures
    into: Callable[[Feedback], Any]
    rejections: tuple[type[Exception], ...]
    signature: inspect.Signature

    def given(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> object:
        """Arguments by name, so that the same call is the same however it was written; as given if they do not fit."""
        try:
            return dict(self.signature.bind(*args, **kwargs).arguments)
        except TypeError:
            return {"args": list(args), **kwargs}

    def succeeded(self, result: Any, given: object) -> Any:
        self.failures.succeeded(self.named, given)
        return result

    def failed(self, error: Exception, given: object) -> Any:
        if passes(error):
            raise error
        told = feedback_of(error, what=self.named, submitted=given, failures=self.failures, rejections=self.rejections)
        return self.into(told)

    async def awaited(self, coming: Any, given: object) -> Any:
        try:
            result = await coming
        except Exception as error:
            return self.failed(error, given)
        return self.succeeded(result, given)

    def yielding(self) -> TypeError:
        return TypeError(
            f"{self.named!r} yields its results one by one, after the call that would be guarded has returned; "
            "decorate a function that returns all of them, for example as a list."
        )


def _parts(tool: Callable[..., Any]) -> tuple[Any, ...]:
    """What runs when it is called: the function itself, that of a partial, or the __call__ of an object's class."""
    while isinstance(tool, functools.partial):
        tool = tool.func
    return tool, None if isinstance(tool, type) else inspect.getattr_static(type(tool), "__call__", None)


def _yields(tool: Callable[..., Any]) -> bool:
    return any(inspect.isgeneratorfunction(part) or inspect.isasyncgenfunction(part) for part in _parts(tool))


def _is_async(tool: Callable[..., Any]) -> bool:
    return any(inspect.iscoroutinefunction(part) for part in _parts(tool))
