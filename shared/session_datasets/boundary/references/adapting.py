"""What may be passed as a store: one of references, a workspace, or a function that answers either."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from session_datasets.boundary.references.stores import Store

if TYPE_CHECKING:
    from session_datasets.client.workspace import Workspace

    AnyStore = Store | Workspace

_ADVICE = "Pass a Workspace, a WorkspaceStore, a FolderStore(path), or an object with put and opened"


def store_of(place: Any, *, description: str = "") -> Store:
    """The store, or that of a workspace. TypeError for anything else."""
    if _is_store(place):
        return place  # type: ignore[no-any-return]
    from session_datasets.client.workspace import Workspace

    if isinstance(place, Workspace):
        from session_datasets.boundary.references.workspace_store import WorkspaceStore

        return WorkspaceStore(place, description=description)
    raise TypeError(f"A {_named(place)} is no store of references. {_ADVICE}.")


def maker_of(given: Any, taker: str, *, description: str = "") -> Callable[[], Store]:
    """What answers the store of each run. TypeError, at once, for a function that cannot be called without arguments:
    it is the one that was to be decorated."""
    if not callable(given) or _is_store(given):
        store = store_of(given, description=description)
        return lambda: store
    if not _answers_without_arguments(given):
        raise TypeError(
            f"{taker} was given {_named(given)}, which is no store and makes none: it cannot be called without "
            f"arguments, or answers later. {_ADVICE}, or a function that answers one."
        )
    return lambda: store_of(given(), description=description)


def _is_store(place: Any) -> bool:
    return not isinstance(place, type) and callable(getattr(place, "put", None)) and hasattr(place, "opened")


def _answers_without_arguments(function: Callable[..., Any]) -> bool:
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
        return False
    try:
        inspect.signature(function).bind()
    except ValueError:
        # Of some functions in C nobody knows what they take.
        return True
    except TypeError:
        return False
    return True


def _named(given: Any) -> str:
    return str(getattr(given, "__qualname__", type(given).__name__))
