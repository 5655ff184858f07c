"""The layout ``parquet_row_groups``: one Parquet file of small row groups, read by ranges.

A row group is cut when it is worth about ``GROUP_BYTES`` compressed, so a page of any offset costs the footer
(held in the process once read) and one request for a row group or two. Columns are named by their place inside
the file, so that no name can be mistaken for a path; their real names and cell rules travel in the footer.
``layout_parameters``: ``rows``, and where the footer lies: ``footer_offset``, ``footer_bytes``.

Only this module knows the layout: another one replaces it here and in ``tables`` alone.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.limits import KIB, MIB
from session_datasets.domain.near_names import near_names
from session_datasets.domain.profile import Column, JsonValue, Layout
from session_datasets.formats.cells import CellRules
from session_datasets.formats.nested import type_in_words
from session_datasets.formats.ranged_file import RangedFile, Ranges
from session_datasets.formats.row_sizes import batch_bytes

LAYOUT_NAME = "parquet_row_groups"
# Compressed bytes aimed at for one row group: one quick request. Each column adds its chunk's fixed cost to the
# footer, so wide tables get larger groups and fewer of them.
GROUP_BYTES = 200 * KIB
_GROUP_BYTES_PER_COLUMN = 2 * KIB
GROUP_ROWS_MAX = 16_384
# Decoded bytes of a row group, so that one page never decodes more for its few rows.
_GROUP_DECODED_BYTES_MAX = 16 * MIB
# Bytes fetched ahead when many row groups are read in order.
_FETCH_BYTES = 8 * MIB
# Bytes of footers kept in one process, least recently used out first.
_FOOTERS_BYTES_MAX = 32 * MIB
_MAGIC = b"PAR1"
# After the footer: four bytes of its length and the magic.
_TAIL_BYTES = 8
_COLUMNS_KEY = "session_datasets.columns"
# What text compresses to before anything is known of it.
_FIRST_RATIO = 0.25


class RowGroupWriter:
    """Writes batches of ``schema`` to ``file``. ``close`` with the cell rules of the columns."""

    def __init__(self, file: Path, schema: pa.Schema) -> None:
        self._file = file
        self._names = schema.names
        self._schema = pa.schema([field.with_name(_inner_name(place)) for place, field in enumerate(schema)])
        self._sink = pa.OSFile(str(file), "wb")
        self._writer = pq.ParquetWriter(
            self._sink, self._schema, compression="zstd", compression_level=1, write_statistics=False
        )
        self._aim = max(GROUP_BYTES, _GROUP_BYTES_PER_COLUMN * len(schema))
        self._ratio = _FIRST_RATIO
        self._pending: list[pa.RecordBatch] = []
        self._pending_bytes = 0
        self.rows = 0

    def write(self, batch: pa.RecordBatch) -> None:
        self.rows += batch.num_rows
        if not self._names:
            return
        self._pending.append(batch.rename_columns(self._schema.names))
        self._pending_bytes += batch_bytes(batch)
        rows = sum(piece.num_rows for piece in self._pending)
        while rows and (self._pending_bytes >= self._group_decoded_bytes or rows >= GROUP_ROWS_MAX):
            rows_now = self._rows_of_a_group(self._pending_bytes, rows)
            self._flush(rows_now)
            rows -= rows_now

    @property
    def _group_decoded_bytes(self) -> int:
        return int(min(_GROUP_DECODED_BYTES_MAX, self._aim / self._ratio))

    def _rows_of_a_group(self, pending: int, rows: int) -> int:
        by_bytes = rows * self._group_decoded_bytes // max(1, pending)
        return max(1, min(rows, GROUP_ROWS_MAX, by_bytes))

    def _flush(self, rows: int) -> None:
        table = pa.Table.from_batches(self._pending, self._schema)
        group = table.slice(0, rows)
        before = self._sink.tell()
        self._writer.write_table(group, row_group_size=rows)
        rest = table.slice(rows)
        self._pending = rest.to_batches() if rest.num_rows else []
        rest_bytes = sum(batch_bytes(piece) for piece in self._pending)
        self._ratio = max(0.01, (self._sink.tell() - before) / max(1, self._pending_bytes - rest_bytes))
        self._pending_bytes = rest_bytes

    def close(self, rules: Sequence[CellRules]) -> tuple[Footer, dict[str, JsonValue]]:
        """Completes the file. Answers its footer, read back as every reader will, and the layout's parameters."""
        if left := sum(piece.num_rows for piece in self._pending):
            self._flush(left)
        columns = [[name, rule.exact, rule.finite] for name, rule in zip(self._names, rules, strict=True)]
        self._writer.add_key_value_metadata({_COLUMNS_KEY: json.dumps(columns)})
        self._writer.close()
        self._sink.close()
        place = _footer_place(self._file)
        with self._file.open("rb") as opened:
            opened.seek(place["footer_offset"])
            return parse_footer(opened.read()), {"rows": self.rows, **place}

    def abandon(self) -> None:
        """Lets go of an unfinished file; nothing after ``close``."""
        if not self._sink.closed:
            with suppress(OSError, pa.ArrowException):
                self._writer.close()
            self._sink.close()


def _inner_name(place: int) -> str:
    return f"c{place}"


def _footer_place(file: Path) -> dict[str, int]:
    size = file.stat().st_size
    with file.open("rb") as opened:
        opened.seek(size - _TAIL_BYTES)
        length = int.from_bytes(opened.read(4), "little")
    return {"footer_offset": size - _TAIL_BYTES - length, "footer_bytes": length + _TAIL_BYTES}


@dataclass(frozen=True, slots=True)
class Footer:
    """What the end of the file says: the columns, and where each row group begins."""

    metadata: pq.FileMetaData
    columns: tuple[Column, ...]
    rules: tuple[CellRules, ...]
    # Row numbers: where each row group begins, and the end of the last.
    begins: tuple[int, ...]
    # For each column, its leaves: the chunks of a row group that hold it.
    leaves: tuple[tuple[int, ...], ...]
    # Bytes it took in the file.
    size: int


def parse_footer(data: bytes) -> Footer:
    metadata = pq.read_metadata(pa.BufferReader(_MAGIC + data))
    schema = metadata.schema.to_arrow_schema()
    told = json.loads(metadata.metadata[_COLUMNS_KEY.encode()])
    rules = [CellRules(type_, exact, finite) for type_, (_, exact, finite) in zip(schema.types, told, strict=True)]
    columns = tuple(
        Column(name, type_in_words(rule.type), rule.encoding) for (name, _, _), rule in zip(told, rules, strict=True)
    )
    leaves: list[list[int]] = [[] for _ in columns]
    for leaf in range(metadata.num_columns):
        path = metadata.schema.column(leaf).path
        leaves[int(path.partition(".")[0][1:])].append(leaf)
    sizes = (metadata.row_group(group).num_rows for group in range(metadata.num_row_groups))
    begins = tuple(accumulate(sizes, initial=0))
    return Footer(metadata, columns, tuple(rules), begins, tuple(map(tuple, leaves)), len(data))


class Footers:
    """Footers read by this process, by the object's key and version, which never change under it."""

    def __init__(self, bytes_max: int = _FOOTERS_BYTES_MAX) -> None:
        self._bytes_max = bytes_max
        self._held: OrderedDict[tuple[str, str], Footer] = OrderedDict()

    def of(self, source: Ranges, layout: Layout) -> Footer:
        """One request the first time, none after that."""
        place = (layout.key, layout.version_id)
        footer = self._held.get(place)
        if footer is None:
            parameters = layout.parameters
            data = source.read(int(parameters["footer_offset"]), int(parameters["footer_bytes"]))
            footer = self._held[place] = parse_footer(data)
        self._held.move_to_end(place)
        while len(self._held) > 1 and sum(held.size for held in self._held.values()) > self._bytes_max:
            self._held.popitem(last=False)
        return footer


class RowGroups:
    """The rows of one laid-out dataset."""

    def __init__(self, source: Ranges, layout: Layout, footers: Footers) -> None:
        self.total = int(layout.parameters["rows"])
        self._footer = footers.of(source, layout)
        self._source = source

    def chosen(self, names: Sequence[str] | None) -> tuple[int, ...]:
        """The places of the columns, in the order asked for, all for None. Refusal for a wrong choice."""
        columns = self._footer.columns
        if names is None:
            return tuple(range(len(columns)))
        if not names:
            raise Refusal(ProblemCode.INVALID_REQUEST, "'columns' is empty; name at least one column, or leave it out.")
        if len(set(names)) != len(names):
            raise Refusal(ProblemCode.INVALID_REQUEST, "'columns' names a column twice.")
        places = {column.name: place for place, column in enumerate(columns)}
        for name in names:
            if name not in places:
                raise _unknown_column(name, places)
        return tuple(places[name] for name in names)

    def column(self, place: int) -> Column:
        return self._footer.columns[place]

    def rules(self, place: int) -> CellRules:
        return self._footer.rules[place]

    def read(self, places: Sequence[int], begin: int, end: int) -> Iterator[pa.RecordBatch]:
        """The rows from ``begin`` to before ``end`` in order, at most one row group at a time, columns as asked.

        Fetched as it is consumed, some ``_FETCH_BYTES`` ahead at most.
        """
        if begin >= end:
            return
        file = RangedFile(self._source)
        parquet = pq.ParquetFile(pa.PythonFile(file, mode="r"), metadata=self._footer.metadata, pre_buffer=False)
        begins = self._footer.begins
        first, last = bisect_right(begins, begin) - 1, bisect_right(begins, end - 1) - 1
        for groups in self._windows(range(first, last + 1), places):
            file.fetch(extent for group in groups for extent in self._extents(group, places))
            for group in groups:
                table = parquet.read_row_group(group, [_inner_name(place) for place in places], use_threads=False)
                skip = max(0, begin - begins[group])
                rows = table.slice(skip, min(end, begins[group + 1]) - begins[group] - skip)
                yield _in_order(rows, places)

    def _windows(self, groups: Sequence[int], places: Sequence[int]) -> Iterator[list[int]]:
        """Consecutive groups whose fetches together stay within ``_FETCH_BYTES``, one group at least."""
        window: list[int] = []
        begin = 0
        for group in groups:
            extents = self._extents(group, places)
            if window and max(end for _, end in extents) - begin > _FETCH_BYTES:
                yield window
                window = []
            if not window:
                begin = min(start for start, _ in extents)
            window.append(group)
        yield window

    def _extents(self, group: int, places: Sequence[int]) -> list[tuple[int, int]]:
        """Where the chunks of these columns lie, as (begin, end)."""
        row_group = self._footer.metadata.row_group(group)
        return [_extent(row_group.column(leaf)) for place in places for leaf in self._footer.leaves[place]]


def _extent(chunk: pq.ColumnChunkMetaData) -> tuple[int, int]:
    begin = chunk.data_page_offset
    if chunk.has_dictionary_page:
        begin = min(begin, chunk.dictionary_page_offset)
    return begin, begin + chunk.total_compressed_size


def _in_order(table: pa.Table, places: Sequence[int]) -> pa.RecordBatch:
    chosen = table.select([_inner_name(place) for place in places]).combine_chunks()
    arrays = [column.chunk(0) if column.num_chunks else pa.array([], column.type) for column in chosen.columns]
    return pa.RecordBatch.from_arrays(arrays, schema=chosen.schema)


def _unknown_column(name: str, places: Mapping[str, int]) -> Refusal:
    shown = name if len(name) <= 100 else name[:100] + "…"
    return Refusal(
        ProblemCode.UNKNOWN_COLUMN,
        f"There is no column '{shown}'; nothing was read.",
        did_you_mean=near_names(name, places),
    )
