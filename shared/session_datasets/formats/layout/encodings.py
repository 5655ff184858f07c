"""How each leaf of a table is encoded in Parquet, chosen by the bytes it takes on a sample.

Parquet's default, a dictionary for everything, costs half as much again on numbers that rarely repeat.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.types as kind

from session_datasets.formats.values.nested import is_nested

COMPRESSION = {"compression": "zstd", "compression_level": 1}


class LeafEncoding(StrEnum):
    """In the order in which they are preferred when they take about the same bytes: the quickest to decode first."""

    PLAIN = "PLAIN"
    DICTIONARY = "DICTIONARY"
    BYTE_STREAM_SPLIT = "BYTE_STREAM_SPLIT"
    DELTA_BINARY_PACKED = "DELTA_BINARY_PACKED"
    DELTA_LENGTH_BYTE_ARRAY = "DELTA_LENGTH_BYTE_ARRAY"


_NUMBERS = frozenset({"INT32", "INT64"})
# The physical types of Parquet that can be written so; None for all of them.
_TAKEN_BY = {
    LeafEncoding.PLAIN: None,
    LeafEncoding.DICTIONARY: frozenset({*_NUMBERS, "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"}),
    LeafEncoding.BYTE_STREAM_SPLIT: frozenset({*_NUMBERS, "FLOAT", "DOUBLE", "FIXED_LEN_BYTE_ARRAY"}),
    LeafEncoding.DELTA_BINARY_PACKED: _NUMBERS,
    LeafEncoding.DELTA_LENGTH_BYTE_ARRAY: frozenset({"BYTE_ARRAY"}),
}
# Physical types of what most tables consist of; asking Parquet takes a while for ten thousand columns.
_PHYSICAL = {
    pa.bool_().id: "BOOLEAN",
    pa.int64().id: "INT64",
    pa.float64().id: "DOUBLE",
    pa.string().id: "BYTE_ARRAY",
    pa.date32().id: "INT32",
    pa.timestamp("us").id: "INT64",
}
# Another encoding has to save this part of a leaf's bytes.
_WORTH_CHANGING = 0.02
# Samples of wide tables are a single group: reading the sizes of ten thousand columns takes a while.
_WIDE_LEAVES = 1_000


@dataclass(frozen=True, slots=True)
class Leaf:
    """``path``: as Parquet spells it, names joined by dots. ``physical``: its physical type."""

    path: str
    physical: str


def leaf_count(type_: pa.DataType) -> int:
    """Columns of Parquet that hold a column of this type: those at the bottom of a nested one."""
    if isinstance(type_, pa.BaseExtensionType):
        return leaf_count(type_.storage_type)
    if kind.is_dictionary(type_):
        return leaf_count(type_.value_type)
    if not is_nested(type_):
        return 1
    return sum(leaf_count(type_.field(place).type) for place in range(type_.num_fields))


def leaves_of(schema: pa.Schema) -> list[Leaf]:
    """The leaves in the order of the file. pa.ArrowNotImplementedError if Parquet has no form for some type."""
    if all(type_.id in _PHYSICAL for type_ in schema.types):
        return [Leaf(field.name, _PHYSICAL[field.type.id]) for field in schema]
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_batches([], schema), sink, store_schema=False)
    found = pq.ParquetFile(pa.BufferReader(sink.getvalue())).schema
    columns = (found.column(place) for place in range(len(found)))
    return [Leaf(column.path, column.physical_type) for column in columns]


def needs_arrow_schema(schema: pa.Schema) -> bool:
    """Whether Parquet's own types are too few to give this schema back: it has no large texts, durations, zones …"""
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_batches([], schema), sink, store_schema=False)
    return not pq.read_schema(pa.BufferReader(sink.getvalue())).equals(schema, check_metadata=False)


def chosen(sample: pa.Table, group_rows: int) -> tuple[LeafEncoding, ...]:
    """For each leaf the encoding that takes the fewest bytes in groups of ``group_rows`` rows."""
    leaves = leaves_of(sample.schema)
    if len(leaves) > _WIDE_LEAVES:
        sample = sample.slice(0, group_rows)
    best = [LeafEncoding.PLAIN] * len(leaves)
    least = _sizes(sample, group_rows, leaves, best)
    flat = not any(is_nested(type_) for type_ in sample.schema.types)
    for encoding in [*LeafEncoding][1:]:
        takers = [place for place, leaf in enumerate(leaves) if _takes(leaf, encoding)]
        if not takers:
            continue
        # Of nested columns all are written, since some of a column's leaves may not take the encoding.
        places = takers if flat else [*range(len(leaves))]
        tried = [encoding if _takes(leaves[place], encoding) else LeafEncoding.PLAIN for place in places]
        part = sample.select(places) if flat else sample
        sizes = dict(zip(places, _sizes(part, group_rows, [leaves[place] for place in places], tried), strict=True))
        for place in takers:
            if sizes[place] < least[place] * (1 - _WORTH_CHANGING):
                best[place], least[place] = encoding, sizes[place]
    return tuple(best)


def options(paths: Sequence[str], encodings: Sequence[LeafEncoding]) -> dict[str, Any]:
    """Arguments of pyarrow's Parquet writers that encode the leaves so.

    A path that two leaves share (``{"a": {"b": 1}, "a.b": 2}``) can not be told apart there: both stay plain.
    """
    times = Counter(paths)
    single = [(path, encoding) for path, encoding in zip(paths, encodings, strict=True) if times[path] == 1]
    dictionaries = [path for path, encoding in single if encoding is LeafEncoding.DICTIONARY]
    others = {
        path: encoding.value
        for path, encoding in single
        if encoding not in (LeafEncoding.DICTIONARY, LeafEncoding.PLAIN)
    }
    return {"use_dictionary": dictionaries or False, "column_encoding": others or None}


def _takes(leaf: Leaf, encoding: LeafEncoding) -> bool:
    takers = _TAKEN_BY[encoding]
    return takers is None or leaf.physical in takers


def _sizes(sample: pa.Table, group_rows: int, leaves: Sequence[Leaf], encodings: Sequence[LeafEncoding]) -> list[int]:
    """Compressed bytes of each leaf."""
    sink = pa.BufferOutputStream()
    wanted = options([leaf.path for leaf in leaves], encodings)
    pq.write_table(sample, sink, row_group_size=group_rows, write_statistics=False, **COMPRESSION, **wanted)
    metadata = pq.read_metadata(pa.BufferReader(sink.getvalue()))
    return [sum(_chunk_sizes(metadata, place)) for place in range(len(leaves))]


def _chunk_sizes(metadata: pq.FileMetaData, leaf: int) -> Iterator[int]:
    for group in range(metadata.num_row_groups):
        yield int(metadata.row_group(group).column(leaf).total_compressed_size)
