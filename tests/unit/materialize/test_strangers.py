"""Rows, cells, names and errors of classes that raise when they are asked for anything."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any

import pytest

from session_datasets.materialize import materialize_result
from session_datasets.materialize.refusals import (
    InvalidMaterializeError,
    MaterializeError,
    SourceFailedError,
    UnwritableRowError,
    WriteFailedError,
)


class Failure(Exception):
    def __str__(self) -> str:
        raise KeyError("no words")

    __repr__ = __str__


def fail(*_: object) -> Any:
    raise KeyError("no answer")


Length = type("Length", (list,), {"__len__": fail})
Iteration = type("Iteration", (), {"__iter__": fail})
Class = type("Class", (), {"__class__": property(fail)})
Text = type("Text", (), {"__str__": fail, "__repr__": fail})
Keys = type("Keys", (dict,), {"items": fail})
Zone = type("Zone", (tzinfo,), {"utcoffset": fail})


@pytest.fixture(params=["csv", "parquet"])
def fmt(request: pytest.FixtureRequest) -> str:
    kind: str = request.param
    return kind


def _saved(columns: Any, rows: Any, place: Path, fmt: str) -> Any:
    """The result. Where it is refused instead, nothing was saved."""
    try:
        return materialize_result(columns, rows, place / "out", fmt=fmt)
    except MaterializeError:
        assert not (place / "out").exists()
        raise


@pytest.mark.parametrize("make", [lambda: Length([1]), Iteration, Class], ids=["its length", "its cells", "its class"])
def test_a_row_that_raises_is_refused_by_its_number(tmp_path: Path, fmt: str, make: Any) -> None:
    with pytest.raises(UnwritableRowError, match=r"Row 2 .* can not be had \(KeyError\); nothing was saved") as refused:
        _saved(["a"], [(1,), make()], tmp_path, fmt)
    assert refused.value.row == 2


@pytest.mark.parametrize(
    "make",
    [Text, lambda: Keys(a=1), lambda: datetime(2024, 1, 1, tzinfo=Zone()), lambda: [Text()], Class],
    ids=["its text", "its members", "its zone", "a text inside", "its class"],
)
def test_a_cell_that_raises_is_refused_by_its_row_and_column(tmp_path: Path, fmt: str, make: Any) -> None:
    with pytest.raises(UnwritableRowError, match=r"Row 2, column 'b': a .* can not be had") as refused:
        _saved(["a", "b"], [(1, 1), (2, make())], tmp_path, fmt)
    assert refused.value.row == 2


def test_a_source_whose_error_has_no_words_is_told_by_its_kind(tmp_path: Path, fmt: str) -> None:
    def rows() -> Iterator[Any]:
        yield (1,)
        raise Failure

    with pytest.raises(SourceFailedError, match=r"failed after 1 rows; nothing was saved\. It said: Failure") as failed:
        _saved(["a"], rows(), tmp_path, fmt)
    assert failed.value.rows_read == 1


def test_a_source_that_fails_before_its_first_row_is_told(tmp_path: Path, fmt: str) -> None:
    with pytest.raises(SourceFailedError, match=r"failed after 0 rows; nothing was saved\. It said: KeyError"):
        _saved(["a"], Iteration(), tmp_path, fmt)


def test_a_place_whose_error_has_no_words_is_told_by_its_kind(fmt: str) -> None:
    class Full:
        def save(self, file: Path, *, fmt: str, incomplete: str | None) -> Any:
            raise Failure

    with pytest.raises(WriteFailedError, match="was not written, nothing was registered: Failure"):
        materialize_result(["a"], [(1,)], Full(), fmt=fmt)


def test_a_name_that_raises_is_numbered_and_told(tmp_path: Path, fmt: str) -> None:
    result = _saved(["a", Text()], [(1, 2)], tmp_path, fmt)
    assert result.columns == ["a", "column_2"]
    assert result.notes == ["Column 2 was named a Text and is 'column_2' now."]


@pytest.mark.parametrize("columns", [5, Iteration()], ids=["a number", "one that raises"])
def test_names_that_can_not_be_had_are_refused(tmp_path: Path, fmt: str, columns: Any) -> None:
    with pytest.raises(InvalidMaterializeError, match="whose names can not be had"):
        _saved(columns, [(1,)], tmp_path, fmt)
