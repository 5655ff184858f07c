"""Every Arrow type becomes JSON without loss, and says how."""

from __future__ import annotations

import base64
import json
import re
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from session_datasets.domain.profile import Encoding
from session_datasets.formats.values.cells import CellRules
from tests.support.laid_out import laid_out
from tests.support.odd_files import parquet

INF, NAN = float("inf"), float("nan")
DAY_US = 86_400_000_000

CASES: list[tuple[pa.DataType, list[Any], str | None, list[Any]]] = [
    (pa.bool_(), [True, None, False], None, [True, None, False]),
    (pa.int8(), [-128, None, 127], None, [-128, None, 127]),
    (pa.uint32(), [0, 4_294_967_295], None, [0, 4_294_967_295]),
    (pa.int64(), [2**53, -(2**53), None], None, [2**53, -(2**53), None]),
    (pa.int64(), [2**53 + 1, 1, None], "number_text", ["9007199254740993", "1", None]),
    (pa.int64(), [-(2**63)], "number_text", ["-9223372036854775808"]),
    (pa.uint64(), [2**64 - 1, 0], "number_text", ["18446744073709551615", "0"]),
    (pa.uint64(), [2**53, 0], None, [2**53, 0]),
    (pa.decimal128(10, 2), [Decimal("1.50"), Decimal("-0.01"), None], "number_text", ["1.50", "-0.01", None]),
    (pa.decimal256(50, 3), [Decimal("12345678901234567890.123")], "number_text", ["12345678901234567890.123"]),
    (pa.decimal32(5, 1), [Decimal("7.5")], "number_text", ["7.5"]),
    (pa.float64(), [0.1, -0.0, 5e-324, None], None, [0.1, -0.0, 5e-324, None]),
    (pa.float64(), [NAN, INF, -INF, 1.5, None], "number_or_text", ["NaN", "Infinity", "-Infinity", 1.5, None]),
    (pa.float32(), [0.1, 3.4028234663852886e38], None, [0.1, 3.4028235e38]),
    (pa.float32(), [NAN, 0.1], "number_or_text", ["NaN", 0.1]),
    (pa.float16(), [1.5, 65504.0], None, [1.5, 65504.0]),
    (pa.date32(), [0, 19_782, None], "iso_8601", ["1970-01-01", "2024-02-29", None]),
    (pa.time32("ms"), [1, None], "iso_8601", ["00:00:00.001", None]),
    (pa.time64("us"), [1], "iso_8601", ["00:00:00.000001"]),
    (pa.time64("ns"), [1], "iso_8601", ["00:00:00.000000001"]),
    (pa.timestamp("ms"), [1, -1, None], "iso_8601", ["1970-01-01T00:00:00.001", "1969-12-31T23:59:59.999", None]),
    (pa.timestamp("us"), [DAY_US], "iso_8601", ["1970-01-02T00:00:00.000000"]),
    (pa.timestamp("ns"), [1], "iso_8601", ["1970-01-01T00:00:00.000000001"]),
    (pa.timestamp("ns", "UTC"), [1], "iso_8601", ["1970-01-01T00:00:00.000000001Z"]),
    (pa.timestamp("us", "Europe/Berlin"), [0], "iso_8601", ["1970-01-01T00:00:00.000000Z"]),
    (pa.timestamp("us", "+05:30"), [0], "iso_8601", ["1970-01-01T00:00:00.000000Z"]),
    (pa.timestamp("ms"), [10**16], "iso_8601", ["+318857-05-20T17:46:40.000"]),
    (pa.timestamp("ms"), [-(10**16)], "iso_8601", ["-314918-08-13T06:13:20.000"]),
    (pa.timestamp("ms", "UTC"), [253_402_300_799_999, 253_402_300_800_000, -62_167_219_200_000, -62_167_219_200_001],
     "iso_8601", ["9999-12-31T23:59:59.999Z", "+10000-01-01T00:00:00.000Z",
                  "0000-01-01T00:00:00.000Z", "-0001-12-31T23:59:59.999Z"]),
    (pa.timestamp("ms"), [971_890_963_199_999, 971_890_963_200_000], "iso_8601",
     ["+32767-12-31T23:59:59.999", "+32768-01-01T00:00:00.000"]),
    (pa.date32(), [2_932_896, 2_932_897, 11_248_737, 11_248_738, 20_000_000, None], "iso_8601",
     ["9999-12-31", "+10000-01-01", "+32767-12-31", "+32768-01-01", "+56728-02-22", None]),
    (pa.date32(), [-719_528, -719_529, -20_000_000], "iso_8601", ["0000-01-01", "-0001-12-31", "-52789-11-11"]),
    (pa.date64(), [0, 86_400_000 * 2_932_897, None], "iso_8601", ["1970-01-01", "+10000-01-01", None]),
    (pa.list_(pa.date32()), [[20_000_000]], "nested", [["+56728-02-22"]]),
    (pa.duration("s"), [90, -1], "iso_8601", ["PT90S", "-PT1S"]),
    (pa.duration("ms"), [1_500, -1, None], "iso_8601", ["PT1.500S", "-PT0.001S", None]),
    (pa.duration("ns"), [1], "iso_8601", ["PT0.000000001S"]),
    (pa.string(), ["", "é\n\"", None], None, ["", "é\n\"", None]),
    (pa.large_string(), ["x"], None, ["x"]),
    (pa.binary(), [b"\x00\xff", b"", None], "base64", ["AP8=", "", None]),
    (pa.binary(2), [b"\x00\xff"], "base64", ["AP8="]),
    (pa.large_binary(), [b"x"], "base64", ["eA=="]),
    (pa.null(), [None], None, [None]),
    (pa.struct([("x", pa.int8()), ("y", pa.date32())]), [{"x": 1, "y": 0}, None], "nested",
     [{"x": 1, "y": "1970-01-01"}, None]),
    (pa.list_(pa.float64()), [[1.5, NAN], None, []], "nested", [[1.5, "NaN"], None, []]),
    (pa.large_list(pa.int8()), [[1], None, [2]], "nested", [[1], None, [2]]),
    (pa.list_(pa.int8(), 2), [[1, 2], None, [3, 4]], "nested", [[1, 2], None, [3, 4]]),
    (pa.list_(pa.int64()), [[2**53 + 1, 1]], "nested", [["9007199254740993", "1"]]),
    (pa.list_(pa.int64()), [[2**53, 1]], "nested", [[2**53, 1]]),
    (pa.map_(pa.string(), pa.int64()), [[("k", 2**60), ("l", None)], None, []], "nested",
     [[["k", str(2**60)], ["l", None]], None, []]),
    (pa.list_(pa.struct([("t", pa.timestamp("ns"))])), [[{"t": 1}]], "nested",
     [[{"t": "1970-01-01T00:00:00.000000001"}]]),
    (pa.struct([("b", pa.binary()), ("d", pa.decimal128(4, 1))]), [{"b": b"x", "d": Decimal("1.5")}], "nested",
     [{"b": "eA==", "d": "1.5"}]),
]  # fmt: skip


@pytest.mark.parametrize(("type_", "values", "encoding", "cells"), CASES, ids=lambda value: str(value)[:40])
def test_a_column_is_spelled_by_its_type(
    type_: pa.DataType, values: list[Any], encoding: str | None, cells: list[Any]
) -> None:
    dataset = laid_out(parquet({"c": pa.array(values, type_)}), "rows.parquet")
    page = dataset.page()
    assert [row[0] for row in page.rows] == cells
    assert page.columns[0].encoding == encoding
    assert page.columns == dataset.profile.columns


@pytest.mark.parametrize(
    "type_", [pa.timestamp("us", "Europe/Berlin"), pa.timestamp("ns", "+05:30"), pa.duration("ms")]
)
def test_the_type_keeps_its_unit_and_zone(type_: pa.DataType) -> None:
    assert laid_out(parquet({"c": pa.array([0], type_)}), "rows.parquet").types["c"] == str(type_)


@pytest.mark.parametrize("type_", [case[0] for case in CASES], ids=str)
def test_a_slice_is_spelled_as_the_same_rows_of_the_whole(type_: pa.DataType) -> None:
    values = next(case[1] for case in CASES if case[0] == type_)
    array = pa.array(values * 3, type_)
    rules = CellRules(type_)
    assert repr(rules.encode(array.slice(1))) == repr(rules.encode(array)[1:])


@given(st.integers(-(2**62), 2**62))
def test_far_timestamps_have_the_day_that_the_calendar_repeats_every_400_years(count: int) -> None:
    text = CellRules(pa.timestamp("ms")).encode(pa.array([count], pa.timestamp("ms")))[0]
    cycle_ms, cycles = 146_097 * 86_400_000, count // (146_097 * 86_400_000)
    near = CellRules(pa.timestamp("ms")).encode(pa.array([count - cycles * cycle_ms], pa.timestamp("ms")))[0]
    year, rest = re.fullmatch(r"([+-]?\d+)(-\d\d-\d\dT.*)", text).groups()
    assert (int(year), rest) == (int(near[:4]) + 400 * cycles, near[4:])


@given(st.integers(-(2**31), 2**31 - 1))
def test_far_dates_are_the_days_of_their_midnights(days: int) -> None:
    date = CellRules(pa.date32()).encode(pa.array([days], pa.int32()).cast(pa.date32()))[0]
    midnight = CellRules(pa.timestamp("s")).encode(pa.array([days * 86_400], pa.timestamp("s")))[0]
    assert midnight == f"{date}T00:00:00"


@given(st.integers(-(2**62), 2**62))
def test_years_beyond_four_digits_carry_their_sign_and_all_others_none(count: int) -> None:
    text = CellRules(pa.timestamp("ms")).encode(pa.array([count], pa.timestamp("ms")))[0]
    assert re.fullmatch(r"(\d{4}|[+]\d{5,}|-\d{4,})-\d\d-\d\dT.*", text)


def test_one_wide_integer_makes_every_page_of_its_column_text() -> None:
    dataset = laid_out(parquet({"n": [1, 2, 3, 2**60]}), "rows.parquet")
    assert dataset.page(0, 1).rows == [["1"]]
    assert dataset.page(0, 1).columns[0].encoding is Encoding.NUMBER_TEXT


few_examples = settings(max_examples=40, deadline=None)


@few_examples
@given(st.lists(st.floats(), min_size=1))
def test_doubles_come_back_from_json_bit_for_bit(numbers: list[float]) -> None:
    finite = all(number - number == 0 for number in numbers)
    cells = json.loads(json.dumps(CellRules(pa.float64(), finite=finite).encode(pa.array(numbers))))
    assert [repr(float(cell)) for cell in cells] == [repr(number) for number in numbers]


@few_examples
@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1))
def test_floats_come_back_from_json_as_the_same_floats(numbers: list[float]) -> None:
    cells = json.loads(json.dumps(CellRules(pa.float32()).encode(pa.array(numbers, pa.float32()))))
    assert pa.array(cells, pa.float32()).equals(pa.array(numbers, pa.float32()))


@few_examples
@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1))
def test_wide_integers_come_back_from_json_as_they_were(numbers: list[int]) -> None:
    cells = json.loads(json.dumps(CellRules(pa.int64(), exact=False).encode(pa.array(numbers, pa.int64()))))
    assert [int(cell) for cell in cells] == numbers


@few_examples
@given(st.lists(st.datetimes(), min_size=1))
def test_timestamps_come_back_from_their_text(moments: list[Any]) -> None:
    cells = CellRules(pa.timestamp("us")).encode(pa.array(moments, pa.timestamp("us")))
    assert [type(moment).fromisoformat(cell) for moment, cell in zip(moments, cells, strict=True)] == moments


@few_examples
@given(st.lists(st.binary(), min_size=1))
def test_bytes_come_back_from_base64(blobs: list[bytes]) -> None:
    cells = CellRules(pa.binary()).encode(pa.array(blobs, pa.binary()))
    assert [base64.b64decode(cell) for cell in cells] == blobs
