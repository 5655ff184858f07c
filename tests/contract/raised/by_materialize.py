"""Why the rows of a query became no file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

from session_datasets.materialize import materialize_result, refusals
from tests.contract.raised.showing import Examples, Place

EXAMPLES = Examples({})
_WHAT = "query"
_ROWS = [("2026-01-01", 10)]


def _saved(place: Place, rows: Iterable[Any] = _ROWS, backend: Any = None, **more: Any) -> object:
    return materialize_result(["day", "amount"], rows, backend or place.folder, **more)


@EXAMPLES.of(refusals.InvalidMaterializeError, _WHAT)
def invalid(place: Place) -> None:
    _saved(place, preview_rows=-1)


@EXAMPLES.of(refusals.UnknownFormatError, _WHAT)
def unknown_format(place: Place) -> None:
    _saved(place, fmt="xlsx")


@EXAMPLES.of(refusals.UnsafeFileNameError, _WHAT)
def unsafe_file_name(place: Place) -> None:
    _saved(place, filename="../sales.csv")


@EXAMPLES.of(refusals.BudgetTooSmallError, _WHAT)
def budget_too_small(place: Place) -> None:
    _saved(place, max_bytes=10)


@EXAMPLES.of(refusals.SourceFailedError, _WHAT)
def source_failed(place: Place) -> None:
    def rows() -> Iterator[Any]:
        yield from _ROWS
        raise TimeoutError("canceling statement due to statement timeout")

    _saved(place, rows())


@EXAMPLES.of(refusals.UnwritableRowError, _WHAT)
def unwritable_row(place: Place) -> None:
    _saved(place, [*_ROWS, ("2026-01-02", 20, "EUR")])


@EXAMPLES.of(refusals.WriteFailedError, _WHAT)
def write_failed(place: Place) -> None:
    class Full:
        def save(self, file: object, *, fmt: str, incomplete: str | None) -> NoReturn:
            raise OSError(28, "No space left on device")

    _saved(place, backend=Full(), filename="sales.csv")
