"""Whatever a column holds comes back from a page of either format, value for value, in its own type."""

from __future__ import annotations

import json
from decimal import Context, Decimal
from typing import Any

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from session_datasets.client.cells import decoded
from session_datasets.domain.page import PageFormat
from tests.support.laid_out import LaidOut, laid_out
from tests.support.odd_files import parquet

DAY_MS = 86_400_000


def _integers(type_: pa.DataType, low: int, high: int) -> st.SearchStrategy[pa.Array]:
    return _lists(st.integers(low, high), type_)


def _lists(values: st.SearchStrategy[Any], type_: pa.DataType) -> st.SearchStrategy[pa.Array]:
    return st.lists(values | st.none(), max_size=12).map(lambda found: pa.array(found, type_))


def _casts(values: st.SearchStrategy[pa.Array], type_: pa.DataType) -> st.SearchStrategy[pa.Array]:
    return values.map(lambda found: found.cast(type_))


def _decimals(type_: pa.Decimal128Type) -> st.SearchStrategy[pa.Array]:
    most = 10**type_.precision - 1
    return _lists(st.integers(-most, most).map(lambda n: Decimal(n).scaleb(-type_.scale, _WIDE)), type_)


_WIDE = Context(prec=80)
int64s = _integers(pa.int64(), -(2**63), 2**63 - 1)
# Parquet keeps no seconds, and nanoseconds are 64 bits from 1970.
moments = [pa.timestamp(unit, zone) for unit in ("ms", "us", "ns") for zone in (None, "UTC", "Europe/Berlin", "+05:30")]
leaves = st.one_of(
    *[_integers(pa_type, -(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits, pa_type in
      ((8, pa.int8()), (16, pa.int16()), (32, pa.int32()), (64, pa.int64()))],
    *[_integers(pa_type, 0, 2**bits - 1) for bits, pa_type in
      ((8, pa.uint8()), (16, pa.uint16()), (32, pa.uint32()), (64, pa.uint64()))],
    _lists(st.floats(allow_nan=False), pa.float64()),
    _lists(st.floats(allow_nan=False, width=32), pa.float32()),
    _lists(st.floats(allow_nan=False, width=16), pa.float16()),
    _lists(st.booleans(), pa.bool_()),
    _lists(st.text(), pa.string()),
    _lists(st.text(), pa.large_string()),
    _lists(st.binary(), pa.binary()),
    _lists(st.binary(), pa.large_binary()),
    _lists(st.binary(min_size=3, max_size=3), pa.binary(3)),
    *[_decimals(type_) for type_ in
      (pa.decimal128(38, 10), pa.decimal128(5, 5), pa.decimal128(9, 0), pa.decimal256(60, 20), pa.decimal64(12, 2))],
    _casts(_integers(pa.int32(), -(2**24), 2**24), pa.date32()),
    _casts(_integers(pa.int32(), 0, DAY_MS - 1), pa.time32("ms")),
    _casts(_integers(pa.int64(), 0, DAY_MS * 1_000 - 1), pa.time64("us")),
    _casts(_integers(pa.int64(), 0, DAY_MS * 1_000_000 - 1), pa.time64("ns")),
    *[_casts(int64s if type_.unit == "ns" else _integers(pa.int64(), -(10**14), 10**14), type_) for type_ in moments],
    *[_casts(int64s, pa.duration(unit)) for unit in ("s", "ms", "us", "ns")],
)  # fmt: skip


def _as_lists(values: pa.Array) -> pa.Array:
    """The values as items of lists: two each, an empty one at the end, and a null."""
    offsets = pa.array([*range(0, len(values), 2), len(values), len(values), len(values)], pa.int32())
    absent = pa.array([place == len(offsets) - 2 for place in range(len(offsets) - 1)], pa.bool_())
    return pa.ListArray.from_arrays(offsets, values, mask=absent)


def _as_maps(values: pa.Array) -> pa.Array:
    """One map of all values, an empty one, and a null."""
    keys = pa.array([f"k{place}" for place in range(len(values))], pa.string())
    offsets = pa.array([0, len(values), len(values), len(values)], pa.int32())
    return pa.MapArray.from_arrays(offsets, keys, values, mask=pa.array([False, False, True]))


def _as_structs(values: pa.Array) -> pa.Array:
    absent = pa.array([place % 3 == 2 for place in range(len(values))], pa.bool_())
    return pa.StructArray.from_arrays([values, values], names=["a b", "c"], mask=absent)


def _as_fixed_lists(values: pa.Array) -> pa.Array:
    pairs = pa.FixedSizeListArray.from_arrays(values.slice(0, len(values) // 2 * 2), 2)
    return pa.array([None if place == 1 else pair for place, pair in enumerate(pairs)], pairs.type)


columns = (
    leaves
    | leaves.map(_as_lists)
    | leaves.map(_as_structs)
    | leaves.map(_as_structs).map(_as_lists)
    | leaves.map(_as_fixed_lists)
    | leaves.map(_as_maps)
)


def _page(dataset: LaidOut, format: PageFormat) -> Any:
    return dataset.tables.read_rows(
        dataset.reader, dataset.layout, offset=0, limit=100, columns=None, max_bytes=1 << 20, format=format
    )


@settings(max_examples=100, deadline=None)
@given(values=columns)
def test_a_column_of_any_type_comes_back_from_both_formats(values: pa.Array) -> None:
    table = pa.table({"v": values})
    dataset = laid_out(parquet(table), "v.parquet")
    arrow = pa.ipc.open_stream(_page(dataset, PageFormat.ARROW).arrow).read_all()
    assert arrow.schema.field("v").type == values.type
    assert arrow.equals(table)
    # Through the text that travels, whose numbers are what any reader makes of them.
    rows = json.loads(json.dumps(_page(dataset, PageFormat.JSON).rows, allow_nan=False))
    assert decoded([row[0] for row in rows], values.type).equals(values)
