"""Why a value was not written behind a reference, or a reference not followed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from session_datasets.boundary import references
from session_datasets.boundary.references import FolderStore, WorkspaceStore, errors
from tests.contract.raised.showing import Examples, Place
from tests.unit.boundary.references.files import file_of, forged

EXAMPLES = Examples({})
_WHAT = "hydrate call"
Change = Callable[[Any, Path], object]


def _loaded(place: Place, change: Change, **more: Any) -> object:
    """A value saved in a folder, and loaded after ``change`` of its reference or its file."""
    store = FolderStore(place.folder)
    reference = references.save({"total": 10}, store, name="sums")
    change(reference, place.folder)
    return references.hydrate(reference, store, **more)


@EXAMPLES.of(errors.MalformedReferenceError, _WHAT)
def malformed(place: Place) -> None:
    _loaded(place, lambda reference, _: reference["$dataset"].update(v=2))


@EXAMPLES.of(errors.WrongStoreError, _WHAT)
def wrong_store(place: Place) -> None:
    reference = references.save({"total": 10}, FolderStore(place.folder))
    references.load(reference, WorkspaceStore(place.cloud.open(directory=place.folder)))


@EXAMPLES.of(errors.OutsideReferenceError, _WHAT)
def outside(place: Place) -> None:
    _loaded(place, lambda reference, _: reference["$dataset"].update(place={"key": "../secret"}))


@EXAMPLES.of(errors.UnreachableReferenceError, _WHAT)
def unreachable(place: Place) -> None:
    one, other = (WorkspaceStore(place.cloud.open(run_id=run, directory=place.folder)) for run in ("run-1", "run-2"))
    references.load(references.save({"total": 10}, one), other)


@EXAMPLES.of(errors.MissingReferenceError, _WHAT)
def missing(place: Place) -> None:
    _loaded(place, lambda reference, folder: file_of(reference, folder).unlink())


@EXAMPLES.of(errors.ChangedReferenceError, _WHAT)
def changed(place: Place) -> None:
    _loaded(place, lambda reference, folder: file_of(reference, folder).write_bytes(b'{"total":11}'))


@EXAMPLES.of(errors.UnreadableReferenceError, _WHAT)
def unreadable(place: Place) -> None:
    def other_file(reference: Any, folder: Path) -> None:
        reference.update(forged(reference, b'{"$type":"money/1","value":"10 EUR"}', folder))

    _loaded(place, other_file)


@EXAMPLES.of(errors.HydrateBudgetError, _WHAT)
def budget(place: Place) -> None:
    store = FolderStore(place.folder)
    references.load(references.save(bytes(2**20 + 1), store), store, max_bytes=2**20)


@EXAMPLES.of(errors.UnsupportedFrameError, "externalize call")
def unsupported(place: Place) -> None:
    references.save(np.array([object()]), FolderStore(place.folder))
