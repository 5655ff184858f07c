"""Cells of every kind, as each format keeps them."""

from __future__ import annotations

import csv
import pickle
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum, IntEnum
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from session_datasets.materialize import json_texts, materialize_result, parquet_file
from session_datasets.materialize.cells import cell_of
from session_datasets.materialize.refusals import UnwritableRowError
from tests.unit.materialize.conftest import Saving


class Colour(Enum):
    RED = "red"


class Level(IntEnum):
    HIGH = 3


@dataclass
class Point:
    x: int


EAST = timezone(timedelta(hours=2))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        ("", '""'),
        ("plain", "plain"),
        (" spaced ", " spaced "),
        ("a,b", '"a,b"'),
        ('say "x"', '"say ""x"""'),
        ("two\nlines", '"two\nlines"'),
        ("cr\rhere", '"cr\rhere"'),
        ("nul\0here", "nul\ufffdhere"),
        ("bell\x07here", '"bell\x07here"'),
        ("\x1fbetween units", '"\x1fbetween units"'),
        ("\x1b[0m\x0b\x0c\t", "\x1b[0m\x0b\x0c\t"),
        ("\ufeffmark", '"\ufeffmark"'),
        ("lone \ud800 surrogate", "lone \ufffd surrogate"),
        ("paired \ud83d\ude00", "paired \U0001f600"),
        ("=1+1", "=1+1"),
        ("@cmd", "@cmd"),
        (True, "True"),
        (2**70, str(2**70)),
        (10**4_000, "1" + 4_000 * "0"),
        (0.1, "0.1"),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        (Decimal("1.10"), "1.10"),
        (b"\x00\xff", "AP8="),
        (bytearray(b"a"), "YQ=="),
        (date(2024, 2, 29), "2024-02-29"),
        (time(12, 30), "12:30:00"),
        (time(12, 30, tzinfo=UTC), "12:30:00+00:00"),
        (datetime(2024, 2, 29, 1, 2, 3), "2024-02-29T01:02:03"),
        (datetime(2024, 2, 29, 1, tzinfo=EAST), "2024-02-29T01:00:00+02:00"),
        (timedelta(hours=1), "PT3600S"),
        (timedelta.min, "-P999999999D"),
        (UUID(int=7), "00000000-0000-0000-0000-000000000007"),
        ({"a": [1, None]}, '"{""a"": [1, null]}"'),
        (OrderedDict(b=1), '"{""b"": 1}"'),
        ([], "[]"),
        (Point(1), '"{""x"": 1}"'),
        (Colour.RED, "red"),
        (Level.HIGH, "3"),
        (Path("data/x"), "data/x"),
        (np.int64(5), "5"),
        (np.float32(0.5), "0.5"),
        (np.bool_(True), "True"),
        (np.datetime64("2024-02-29T00:00:00.000000001"), "2024-02-29T00:00:00.000000001"),
        (np.array([1, 2]), '"[1, 2]"'),
        (pd.NaT, ""),
        (pd.NA, ""),
        (pd.Timestamp("2024-02-29T01:00"), "2024-02-29T01:00:00"),
        (pd.Timestamp("2024-02-29T00:00:00.000000001"), "2024-02-29T00:00:00.000000001"),
        (pd.Timestamp(np.datetime64("20000-01-01", "s")), "20000-01-01T00:00:00"),
        (pd.Timedelta(1_500, "ns"), "PT0.0000015S"),
        (pd.Timedelta(-1, "ns"), "-PT0.000000001S"),
        (pd.Timedelta(1_500, "us"), "PT0.0015S"),
        (pd.Timedelta(np.timedelta64(10**15, "s")), "P11574074074DT6400S"),
        ([np.timedelta64(1_500, "ns")], '"[""1500 nanoseconds""]"'),
        (np.array(["2024-02-29T00:00:00.000000001"], "M8[ns]"), '"[""2024-02-29T00:00:00.000000001""]"'),
        ([pd.Timedelta(1_500, "ns")], '"[""PT0.0000015S""]"'),
    ],
    ids=lambda value: f"{type(value).__name__} {str(value)[:20]}",
)
def test_a_field_of_csv(save: Saving, value: Any, text: str) -> None:
    result = save(["first", "last"], [(value, 1)])
    assert Path(result.path).read_bytes().decode() == f"first,last\r\n{text},1\r\n"


@given(st.integers(-(2**63) + 1, 2**63 - 1))
def test_no_nanosecond_of_a_span_is_lost(nanoseconds: int) -> None:
    kept = cell_of(pd.Timedelta(nanoseconds, "ns"))
    assert pd.Timedelta(kept) == pd.Timedelta(nanoseconds, "ns")


@pytest.mark.parametrize("leaf", ["x", "x" * 1_000, 1 << 9_000, {}], ids=["values", "a text", "a number", "nothing"])
@pytest.mark.parametrize(
    "shared", [lambda part: [part, part], lambda part: {"a": part, "b": (part, part)}], ids=["list", "mapping"]
)
def test_a_value_of_few_parts_that_would_be_spelled_out_without_an_end_is_refused(
    save: Saving, monkeypatch: pytest.MonkeyPatch, leaf: Any, shared: Any
) -> None:
    monkeypatch.setattr(json_texts, "_BYTES_MAX", 1 << 20)
    for _ in range(40):
        leaf = shared(leaf)
    with pytest.raises(UnwritableRowError, match="column 'a': of more than a million values"):
        save(["a"], [(leaf,)])


def test_a_lone_null_is_no_blank_line(save: Saving) -> None:
    assert Path(save(["a"], [(None,), ("",)]).path).read_bytes() == b'a\r\n""\r\n""\r\n'


@given(st.lists(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0")), min_size=2, max_size=2)))
def test_any_text_comes_back_from_another_reader(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]]
) -> None:
    result = materialize_result(["a", "b"], rows, tmp_path_factory.mktemp("texts"))
    with Path(result.path).open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [["a", "b"], *rows]


def test_the_cells_that_were_no_text_are_counted(save: Saving) -> None:
    result = save(["a"], [("\ud800",), ("fine",), ("\udfff",)])
    assert result.notes == ["2 cells had characters that are no Unicode text; each is U+FFFD now."]


def test_rows_with_a_nul_are_counted(save: Saving) -> None:
    assert save(["a"], [("\0",), ("b",)]).notes == ["1 rows had NUL characters; each is U+FFFD now."]
    assert save(["a"], [("\0",)], fmt="parquet").notes == []


def test_control_characters_other_than_nul_are_kept_and_need_no_note(save: Saving) -> None:
    result = save(["a\x01", "b"], [("\x01", "\x07\x1f")])
    assert Path(result.path).read_bytes() == b'"a\x01",b\r\n"\x01","\x07\x1f"\r\n'
    assert result.notes == []


def test_a_name_that_begins_with_a_mark_of_byte_order_keeps_it(save: Saving) -> None:
    text = Path(save(["\ufeffa", "b"], []).path).read_text(encoding="utf-8-sig")
    assert text == '"\ufeffa",b\n'


def column(save: Saving, *cells: Any) -> pa.ChunkedArray:
    return pq.read_table(save(["a"], [(cell,) for cell in cells], fmt="parquet").path).column(0)


@pytest.mark.parametrize(
    ("cells", "type_", "kept"),
    [
        ([1, None, 3], pa.int64(), [1, None, 3]),
        ([-(2**63), 2**63 - 1], pa.int64(), [-(2**63), 2**63 - 1]),
        ([1, 2.5], pa.float64(), [1.0, 2.5]),
        ([2**53 + 1, 0.5], pa.string(), [str(2**53 + 1), "0.5"]),
        ([2**63], pa.decimal128(20, 0), [Decimal(2**63)]),
        ([10**100], pa.string(), ["1" + 100 * "0"]),
        ([Decimal("1.10"), Decimal("123.4")], pa.decimal128(5, 2), [Decimal("1.10"), Decimal("123.40")]),
        ([Decimal("1.5"), 7], pa.decimal128(2, 1), [Decimal("1.5"), Decimal("7.0")]),
        ([Decimal("NaN")], pa.string(), ["NaN"]),
        ([Decimal("1E+3")], pa.decimal128(4, 0), [Decimal(1000)]),
        ([True, None], pa.bool_(), [True, None]),
        ([True, 1], pa.string(), ["True", "1"]),
        (["a", 1, None, ""], pa.string(), ["a", "1", None, ""]),
        ([b"\x00", b""], pa.binary(), [b"\x00", b""]),
        ([date(2024, 2, 29)], pa.date32(), [date(2024, 2, 29)]),
        ([date(2024, 2, 29), datetime(2024, 3, 1)], pa.string(), ["2024-02-29", "2024-03-01T00:00:00"]),
        ([datetime(2024, 3, 1, 1, 2, 3, 4)], pa.timestamp("us"), [datetime(2024, 3, 1, 1, 2, 3, 4)]),
        (
            [datetime(2024, 3, 1, 12, tzinfo=EAST)],
            pa.timestamp("us", "UTC"),
            [datetime(2024, 3, 1, 10, tzinfo=UTC)],
        ),
        ([time(1, 2)], pa.time64("us"), [time(1, 2)]),
        ([timedelta(days=-1)], pa.duration("us"), [timedelta(days=-1)]),
        ([{"a": 1}, [2]], pa.string(), ['{"a": 1}', "[2]"]),
        ([None, None], pa.string(), [None, None]),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_column_of_parquet(save: Saving, cells: list[Any], type_: pa.DataType, kept: list[Any]) -> None:
    found = column(save, *cells)
    assert found.type == type_
    assert found.to_pylist() == kept


WEST = timezone(timedelta(hours=-5))
LAST, FIRST = datetime(9999, 12, 31, 23, tzinfo=WEST), datetime(1, 1, 1, 1, tzinfo=EAST)
LONGEST = timedelta(days=106_751_991)


@pytest.mark.parametrize(
    ("cells", "kept", "kinds"),
    [
        ([LAST], ["9999-12-31T23:00:00-05:00"], "instant beyond its range"),
        ([FIRST], ["0001-01-01T01:00:00+02:00"], "instant beyond its range"),
        (
            [datetime(2024, 2, 29, tzinfo=UTC), LAST],
            ["2024-02-29T00:00:00+00:00", "9999-12-31T23:00:00-05:00"],
            "instant and instant beyond its range",
        ),
        ([timedelta.max], ["P999999999DT86399.999999S"], "duration beyond its range"),
        ([timedelta.min], ["-P999999999D"], "duration beyond its range"),
        (
            [timedelta(seconds=1), LONGEST + timedelta(microseconds=1)],
            ["PT1S", "P106751991DT0.000001S"],
            "duration and duration beyond its range",
        ),
    ],
    ids=["the last hour", "the first hour", "among instants", "the longest", "the shortest", "among spans"],
)
def test_a_moment_or_a_span_that_parquet_can_not_count_is_a_text_and_told(
    save: Saving, cells: list[Any], kept: list[str], kinds: str
) -> None:
    result = save(["a"], [(cell,) for cell in cells], fmt="parquet")
    assert pq.read_table(result.path).column(0).to_pylist() == kept
    assert result.notes == [f"Column 'a' holds {kinds} and was written as text."]


@pytest.mark.parametrize(
    "cell",
    [
        datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=EAST),
        datetime(1, 1, 1, tzinfo=WEST),
        datetime.max,
        datetime.min,
        date.max,
        date.min,
    ],
    ids=["last instant", "first instant", "last moment", "first moment", "last day", "first day"],
)
def test_the_last_and_the_first_that_parquet_counts_are_no_texts(save: Saving, cell: Any) -> None:
    assert column(save, cell).to_pylist() == [cell]


@pytest.mark.parametrize("cell", [LONGEST, -LONGEST], ids=["longest", "shortest"])
def test_the_longest_spans_that_parquet_counts_are_no_texts(save: Saving, cell: timedelta) -> None:
    assert column(save, cell).cast(pa.int64()).to_pylist() == [cell // timedelta(microseconds=1)]


def a_day() -> date:
    class Day(date):
        """One that no other process, and no pickle, can find by its name."""

    return Day(2024, 2, 29)


def a_span() -> timedelta:
    class Span(timedelta):
        pass

    return Span(seconds=1)


def a_moment() -> datetime:
    class Moment(datetime):
        pass

    return Moment(2024, 2, 29, 1, tzinfo=EAST)


def a_time() -> time:
    class Clock(time):
        pass

    return Clock(12, 30)


def a_text() -> str:
    class Text(str):
        __slots__ = ()

    return Text("x")


def a_number() -> int:
    class Number(int):
        pass

    return Number(7)


def a_decimal() -> Decimal:
    class Amount(Decimal):
        pass

    return Amount("1.5")


def some_bytes() -> bytes:
    class Bytes(bytes):
        pass

    return Bytes(b"x")


def a_double() -> float:
    class Double(float):
        pass

    return Double(0.5)


_LOCAL = [a_day, a_span, a_moment, a_time, a_text, a_number, a_decimal, some_bytes, a_double]


@pytest.mark.parametrize("make", _LOCAL, ids=lambda make: make.__name__)
def test_a_cell_of_a_class_of_ones_own_is_pythons_plain_one(make: Callable[[], Any]) -> None:
    assert type(cell_of(make())) in {date, timedelta, datetime, str, int, Decimal, bytes, float}
    assert pickle.loads(pickle.dumps(cell_of(make()))) == cell_of(make())


@pytest.mark.parametrize("make", _LOCAL, ids=lambda make: make.__name__)
def test_batches_of_cells_of_classes_of_ones_own_are_put_aside(
    save: Saving, monkeypatch: pytest.MonkeyPatch, make: Callable[[], Any]
) -> None:
    monkeypatch.setattr(parquet_file, "BATCH_ROWS", 2)
    assert save(["a"], [(make(),)] * 5, fmt="parquet").row_count == 5


def test_a_column_of_several_kinds_says_that_it_became_text(save: Saving) -> None:
    result = save(["a"], [(1,), ("x",)], fmt="parquet")
    assert result.notes == ["Column 'a' holds int and text and was written as text."]


def test_an_address_is_no_value(save: Saving, tmp_path: Path) -> None:
    with pytest.raises(UnwritableRowError, match="Row 2, column 'a': a object has no text of its own") as refused:
        save(["a"], [(1,), (object(),)])
    assert refused.value.row == 2
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("fmt", ["csv", "parquet"])
def test_a_short_row_ends_in_nulls_and_is_counted(save: Saving, fmt: str) -> None:
    result = save(["a", "b"], [(1,), (2, 3), ()], fmt=fmt, preview_rows=3)
    assert result.preview == [{"a": 1, "b": None}, {"a": 2, "b": 3}, {"a": None, "b": None}]
    assert result.notes == ["2 rows had fewer cells than columns; the missing ones are null."]


@pytest.mark.parametrize("fmt", ["csv", "parquet"])
def test_a_row_of_more_cells_than_columns_is_refused(save: Saving, fmt: str) -> None:
    with pytest.raises(UnwritableRowError, match="Row 2 has 3 cells for 2 columns; nothing was saved"):
        save(["a", "b"], [(1, 2), (1, 2, 3)], fmt=fmt)


@pytest.mark.parametrize("row", ["ab", b"ab", {"a": 1, "b": 2}, {1, 2}, 5, None], ids=str)
def test_what_is_no_row_is_refused(save: Saving, row: Any) -> None:
    with pytest.raises(UnwritableRowError, match="not a sequence of cells"):
        save(["a", "b"], [row])
