"""Parquet promises UTF-8 for its texts and a day for its times, and checks neither: we do, when rows are laid out."""

from __future__ import annotations

import pyarrow as pa
import pytest

from session_datasets.domain.errors import ProblemCode
from tests.support.laid_out import laid_out, problem_of
from tests.support.odd_files import parquet


def texts(*values: bytes | None) -> pa.Array:
    """An array that calls these bytes a text."""
    array = pa.array(values, pa.binary())
    return pa.Array.from_buffers(pa.string(), len(array), array.buffers(), array.null_count)


BAD = texts(*[b"a"] * 10, b"m\xff", *[b"z"] * 9)
ROWS = len(BAD)
HOLDERS = {
    "flat": BAD,
    "the first row": texts(b"\xff"),
    "between the smallest and the largest": texts(b"a", b"b\xff", b"c"),
    "after many rows": texts(*[b"a"] * 20_000, b"\xff"),
    "a surrogate": texts(b"\xed\xa0\x80"),
    "a dictionary": BAD.dictionary_encode(),
    "a large text": pa.Array.from_buffers(
        pa.large_string(), 1, pa.array([b"\xff"], pa.large_binary()).buffers()
    ),
    "a list": pa.ListArray.from_arrays(range(ROWS + 1), BAD),
    "a list of dictionaries": pa.ListArray.from_arrays(range(ROWS + 1), BAD.dictionary_encode()),
    "a struct": pa.StructArray.from_arrays([BAD], ["x"]),
    "the keys of maps": pa.MapArray.from_arrays(range(ROWS + 1), BAD, pa.array(range(ROWS))),
    "the values of maps": pa.MapArray.from_arrays(range(ROWS + 1), pa.array(["k"] * ROWS), BAD),
}  # fmt: skip


@pytest.mark.parametrize("use_dictionary", [True, False])
@pytest.mark.parametrize("holder", HOLDERS)
def test_text_that_is_not_utf_8_is_refused_wherever_it_lies(holder: str, use_dictionary: bool) -> None:
    problem = problem_of(parquet({"good": ["x"] * len(HOLDERS[holder]), "t": HOLDERS[holder]},
                                 use_dictionary=use_dictionary), "rows.parquet")  # fmt: skip
    assert (problem.code, problem.detail) == (
        ProblemCode.UNREADABLE_FILE,
        "Column 't' has a text that is not valid UTF-8.",
    )
    assert "binary" in problem.advice


def test_bytes_that_are_no_rows_of_their_own_are_not_judged() -> None:
    assert laid_out(parquet({"t": BAD.slice(0, 10)}), "rows.parquet").rows == [["a"]] * 10


@pytest.mark.parametrize("holder", ["column", "field"])
def test_a_name_that_is_not_utf_8_is_refused(holder: str) -> None:
    column = pa.array([1]) if holder == "column" else pa.array([{"naxme": 1}])
    data = parquet({"naxme" if holder == "column" else "t": column}, store_schema=False)
    problem = problem_of(data.replace(b"naxme", b"na\xffme"), "rows.parquet")
    assert (problem.code, problem.detail) == (
        ProblemCode.UNREADABLE_FILE,
        "The footer of this Parquet file can not be read.",
    )


@pytest.mark.parametrize("type_", [pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns")], ids=str)
@pytest.mark.parametrize("seconds", [-1, 86_400, 90_000])
@pytest.mark.parametrize("nested", [False, True])
def test_a_time_outside_the_day_is_refused(type_: pa.DataType, seconds: int, nested: bool) -> None:
    count = seconds * {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[type_.unit]
    times = pa.array([0, count, None], pa.int32() if pa.types.is_time32(type_) else pa.int64()).cast(type_)
    column = pa.ListArray.from_arrays([0, 1, 3], times) if nested else times
    problem = problem_of(parquet({"t": column}), "rows.parquet")
    assert (problem.code, problem.detail) == (
        ProblemCode.UNREADABLE_FILE,
        "Column 't' has a time of day below 00:00 or from 24:00 on.",
    )


def test_the_first_and_the_last_time_of_a_day_are_read() -> None:
    times = pa.array([0, 86_399_999], pa.int32()).cast(pa.time32("ms"))
    assert laid_out(parquet({"t": times}), "rows.parquet").column("t") == ["00:00:00.000", "23:59:59.999"]
