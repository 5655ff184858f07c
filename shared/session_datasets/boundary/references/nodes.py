"""A node's function between references: its inputs are brought back before it runs, its output is spilled after."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from session_datasets.boundary.references.limits import HYDRATE_BYTES_MAX, INLINE_BYTES_MAX
from session_datasets.boundary.references.loading import holds_references, hydrate
from session_datasets.boundary.references.saving import externalize
from session_datasets.boundary.references.stores import Store
from session_datasets.boundary.typed.registry import REGISTRY, Registry

_F = TypeVar("_F", bound=Callable[..., Any])
_Arguments = tuple[tuple[Any, ...], dict[str, Any]]
StoreOrMaker = Store | Callable[[], Store]


def node(
    store: StoreOrMaker,
    *,
    threshold: int = INLINE_BYTES_MAX,
    max_bytes: int = HYDRATE_BYTES_MAX,
    name: str | None = None,
    registry: Registry = REGISTRY,
) -> Callable[[_F], _F]:
    """A decorator for functions and async functions.

    ``store`` may be a function that makes one, called for each run of the node. All arguments share one budget of
    ``max_bytes``; arguments without references are passed as they are. The output, above ``threshold`` serialized
    bytes, goes to files named after the function unless ``name`` is given. TypeError for a generator.

    >>> @references.node(lambda: references.WorkspaceStore(Workspace.from_env()))
    ... def join(state): ...
    """

    def decorate(function: _F) -> _F:
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise TypeError(f"{function.__qualname__} is a generator: externalize what it yields, one by one.")
        passage = _Passage(store, threshold, max_bytes, name or function.__name__, registry)

        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def run_async(*args: Any, **kwargs: Any) -> Any:
                # Files are read and sent in a thread, so that other nodes of the loop go on.
                kept, (args, kwargs) = await asyncio.to_thread(passage.enter, args, kwargs)
                return await asyncio.to_thread(passage.leave, kept, await function(*args, **kwargs))

            return cast(_F, run_async)

        @functools.wraps(function)
        def run(*args: Any, **kwargs: Any) -> Any:
            kept, (args, kwargs) = passage.enter(args, kwargs)
            return passage.leave(kept, function(*args, **kwargs))

        return cast(_F, run)

    return decorate


@dataclass(frozen=True, slots=True)
class _Passage:
    store: StoreOrMaker
    threshold: int
    max_bytes: int
    name: str
    registry: Registry

    def enter(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Store, _Arguments]:
        """The store of this run, and the arguments brought back."""
        store = self.store() if callable(self.store) else self.store
        given = [*args, *kwargs.values()]
        marked = [at for at, each in enumerate(given) if holds_references(each)]
        # In one go: what two of them refer to is loaded once.
        brought = hydrate([given[at] for at in marked], store, max_bytes=self.max_bytes, registry=self.registry)
        for at, each in zip(marked, brought, strict=True):
            given[at] = each
        return store, (tuple(given[: len(args)]), dict(zip(kwargs, given[len(args) :], strict=True)))

    def leave(self, store: Store, output: Any) -> Any:
        return externalize(output, store, threshold=self.threshold, name=self.name, registry=self.registry)
