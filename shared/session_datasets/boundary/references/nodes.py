"""A node's function between references: its inputs are brought back before it runs, its output is spilled after."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast

from session_datasets.boundary.references.adapting import maker_of
from session_datasets.boundary.references.limits import HYDRATE_BYTES_MAX, HYDRATE_FILES_MAX, INLINE_BYTES_MAX
from session_datasets.boundary.references.loading import holds_references, hydrate
from session_datasets.boundary.references.saving import externalize
from session_datasets.boundary.references.stores import Store
from session_datasets.boundary.typed.registry import REGISTRY, Registry

if TYPE_CHECKING:
    from session_datasets.boundary.references.adapting import AnyStore

_F = TypeVar("_F", bound=Callable[..., Any])
_Arguments = tuple[tuple[Any, ...], dict[str, Any]]


def node(
    store: AnyStore | Callable[[], AnyStore],
    *,
    threshold: int = INLINE_BYTES_MAX,
    max_bytes: int = HYDRATE_BYTES_MAX,
    max_files: int = HYDRATE_FILES_MAX,
    name: str | None = None,
    outputs: bool = True,
    registry: Registry = REGISTRY,
) -> Callable[[_F], _F]:
    """A decorator for functions, async functions, and whatever else is called as one: a partial, an object, a wrapper.

    ``store`` is a workspace, a store of references, or a function that answers either and is called for each run of the
    node. All arguments share one budget of ``max_bytes`` and ``max_files``; arguments without references are passed as
    they are. The output, above ``threshold`` serialized bytes, goes to files named after the function unless ``name``
    is given. TypeError for a generator, and for anything else than a store: ``@references.node`` needs one in brackets.

    The output is data. A graph's own objects in it, such as a message or a ``Command``, are refused once the node has
    run (UnsupportedValueError). A node that answers those takes ``outputs=False``, which leaves its output alone, and
    answers ``references.save(frame, store)`` where a frame goes on.

    >>> @references.node(lambda: references.WorkspaceStore(Workspace.from_env()))
    ... def join(state): ...
    """
    stores = maker_of(store, "references.node")

    def decorate(function: _F) -> _F:
        if _is(function, inspect.isgeneratorfunction) or _is(function, inspect.isasyncgenfunction):
            raise TypeError(f"{_name_of(function)} is a generator: externalize what it yields, one by one.")
        named = _name_of(function)
        passage = _Passage(stores, threshold, max_bytes, max_files, name or named, outputs, registry)

        async def left(kept: Store, output: Awaitable[Any]) -> Any:
            return await asyncio.to_thread(passage.leave, kept, await output)

        if _is(function, inspect.iscoroutinefunction):

            async def run_async(*args: Any, **kwargs: Any) -> Any:
                # Files are read and sent in a thread, so that other nodes of the loop go on.
                kept, (args, kwargs) = await asyncio.to_thread(passage.enter, args, kwargs)
                return await left(kept, function(*args, **kwargs))

            return _wrapping(run_async, function, named)

        def run(*args: Any, **kwargs: Any) -> Any:
            kept, (args, kwargs) = passage.enter(args, kwargs)
            output = function(*args, **kwargs)
            # A wrapper of an async function does not look like one before it is called.
            return left(kept, output) if inspect.isawaitable(output) else passage.leave(kept, output)

        return _wrapping(run, function, named)

    return decorate


def _wrapping(run: Callable[..., Any], function: _F, name: str) -> _F:
    run.__name__ = run.__qualname__ = name
    return cast(_F, functools.wraps(function)(run))


def _is(function: Any, asked: Callable[[Any], bool]) -> bool:
    """Of a function, of what a partial calls, or of an object's ``__call__``."""
    return asked(function) or asked(getattr(type(_called(function)), "__call__", None))  # noqa: B004


def _name_of(function: Any) -> str:
    called = _called(function)
    return str(getattr(called, "__name__", type(called).__name__))


def _called(function: Any) -> Any:
    while isinstance(function, functools.partial):
        function = function.func
    return function


@dataclass(frozen=True, slots=True)
class _Passage:
    stores: Callable[[], Store]
    threshold: int
    max_bytes: int
    max_files: int
    name: str
    outputs: bool
    registry: Registry

    def enter(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Store, _Arguments]:
        """The store of this run, and the arguments brought back."""
        store = self.stores()
        given = [*args, *kwargs.values()]
        marked = [at for at, each in enumerate(given) if holds_references(each)]
        # In one go: what two of them refer to is loaded once.
        brought = hydrate(
            [given[at] for at in marked],
            store,
            max_bytes=self.max_bytes,
            max_files=self.max_files,
            registry=self.registry,
        )
        for at, each in zip(marked, brought, strict=True):
            given[at] = each
        return store, (tuple(given[: len(args)]), dict(zip(kwargs, given[len(args) :], strict=True)))

    def leave(self, store: Store, output: Any) -> Any:
        if not self.outputs:
            return output
        return externalize(
            output,
            store,
            threshold=self.threshold,
            name=self.name,
            max_files=self.max_files,
            registry=self.registry,
        )
