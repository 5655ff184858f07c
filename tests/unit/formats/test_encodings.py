"""Encodings are chosen by the bytes they leave, and none changes a value."""

from __future__ import annotations

import datetime
import io
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from session_datasets.formats.layout.encodings import (
    LeafEncoding,
    chosen,
    leaf_count,
    leaves_of,
    needs_arrow_schema,
    options,
)
from tests.unit.formats.test_cells import CASES

SOURCE = random.Random(11)
ROWS = 4_000
ENCODED = {
    "counted": ([*range(ROWS)], LeafEncoding.DELTA_BINARY_PACKED),
    "ids": ([SOURCE.randrange(2_000_000) for _ in range(ROWS)], LeafEncoding.DELTA_BINARY_PACKED),
    "noise": ([SOURCE.gauss(0, 1) for _ in range(ROWS)], LeafEncoding.BYTE_STREAM_SPLIT),
    "names": ([f"{SOURCE.getrandbits(40):x}" for _ in range(ROWS)], LeafEncoding.DELTA_LENGTH_BYTE_ARRAY),
    "states": ([SOURCE.choice(["active", "inactive", "pending"]) for _ in range(ROWS)], LeafEncoding.DICTIONARY),
    "truths": ([SOURCE.random() < 0.5 for _ in range(ROWS)], LeafEncoding.PLAIN),
}


@pytest.mark.parametrize("name", ENCODED)
def test_each_kind_of_column_gets_the_encoding_that_suits_it(name: str) -> None:
    values, encoding = ENCODED[name]
    assert chosen(pa.table({name: values}), 1_000) == (encoding,)


def test_leaves_inside_nested_columns_are_chosen_one_by_one() -> None:
    numbers, states = ENCODED["counted"][0], ENCODED["states"][0]
    values = [{"n": number, "l": [state]} for number, state in zip(numbers, states, strict=True)]
    table = pa.table({"c": pa.array(values, pa.struct({"n": pa.int64(), "l": pa.list_(pa.string())}))})
    assert chosen(table, 1_000) == (LeafEncoding.DELTA_BINARY_PACKED, LeafEncoding.DICTIONARY)


@pytest.mark.parametrize("encoding", LeafEncoding)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_no_encoding_changes_a_value(encoding: LeafEncoding, data: st.DataObject) -> None:
    rows = data.draw(st.integers(0, 60))
    drawn = {
        "i": (st.integers(-(2**63), 2**63 - 1), pa.int64()),
        "u": (st.integers(0, 2**64 - 1), pa.uint64()),
        "h": (st.integers(-128, 127), pa.int8()),
        "f": (st.floats(allow_nan=False), pa.float64()),
        "t": (st.text(max_size=9), pa.string()),
        "b": (st.binary(max_size=9), pa.binary()),
        "d": (st.dates(), pa.date32()),
        "l": (st.lists(st.none() | st.integers(0, 9), max_size=3), pa.list_(pa.int64())),
    }
    table = pa.table(
        {
            name: pa.array(data.draw(st.lists(st.none() | values, min_size=rows, max_size=rows)), type_)
            for name, (values, type_) in drawn.items()
        }
    )
    leaves = leaves_of(table.schema)
    takers = {
        LeafEncoding.PLAIN: {"INT32", "INT64", "DOUBLE", "BYTE_ARRAY"},
        LeafEncoding.DICTIONARY: {"INT32", "INT64", "DOUBLE", "BYTE_ARRAY"},
        LeafEncoding.BYTE_STREAM_SPLIT: {"INT32", "INT64", "DOUBLE"},
        LeafEncoding.DELTA_BINARY_PACKED: {"INT32", "INT64"},
        LeafEncoding.DELTA_LENGTH_BYTE_ARRAY: {"BYTE_ARRAY"},
    }[encoding]
    encodings = [encoding if leaf.physical in takers else LeafEncoding.PLAIN for leaf in leaves]
    sink = io.BytesIO()
    pq.write_table(table, sink, **options([leaf.path for leaf in leaves], encodings))
    assert pq.ParquetFile(sink).read().equals(table)


def test_two_leaves_of_one_path_stay_plain() -> None:
    table = pa.table([pa.array([{"b": 1}]), pa.array(["x"])], names=["a", "a.b"])
    paths = [leaf.path for leaf in leaves_of(table.schema)]
    how = options(paths, [LeafEncoding.DELTA_BINARY_PACKED, LeafEncoding.DICTIONARY])
    assert (paths, how) == (["a.b", "a.b"], {"use_dictionary": False, "column_encoding": None})


@pytest.mark.parametrize(
    "type_", [case[0] for case in CASES], ids=[f"{n}-{case[0]}"[:40] for n, case in enumerate(CASES)]
)
def test_leaves_are_counted_as_parquet_has_them(type_: pa.DataType) -> None:
    assert leaf_count(type_) == len(leaves_of(pa.schema([("c", type_)])))


@pytest.mark.parametrize(
    ("type_", "needed"),
    [
        (pa.int64(), False), (pa.uint8(), False), (pa.string(), False), (pa.bool_(), False), (pa.date32(), False),
        (pa.timestamp("ms"), False), (pa.timestamp("us", "UTC"), False), (pa.decimal128(9, 2), False),
        (pa.list_(pa.int64()), False), (pa.struct({"a": pa.string()}), False),
        (pa.large_string(), True), (pa.timestamp("s"), True), (pa.timestamp("us", "Asia/Tokyo"), True),
        (pa.duration("s"), True), (pa.list_(pa.int64(), 2), True), (pa.struct({"a": pa.large_string()}), True),
    ],
    ids=str,
)  # fmt: skip
def test_the_schema_is_stored_where_parquet_has_no_such_type(type_: pa.DataType, needed: bool) -> None:
    assert needs_arrow_schema(pa.schema([("c", type_)])) is needed


def test_a_sample_of_ten_thousand_columns_is_chosen_for() -> None:
    day = datetime.date(2026, 1, 1)
    sample = pa.table({f"c{place}": [day] * 3 for place in range(10_000)})
    assert len(chosen(sample, 3)) == 10_000
