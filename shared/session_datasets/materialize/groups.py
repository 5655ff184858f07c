"""Row groups of a Parquet file, and how many bytes a file of them takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from session_datasets.materialize.cells import Cell
from session_datasets.materialize.column_types import ColumnType

# The mark at both ends, and the length of the footer.
_FRAME_BYTES = 4 + 4 + 4
# Places in the file are written in as many bytes as they need: behind other groups up to these more for each column.
_LONGER_PLACES = 24
_COMPRESSION = "zstd"


@dataclass(frozen=True)
class Group:
    """One group as it was written alone: bytes of its columns, of its footer, and of a footer without any group."""

    data_bytes: int
    footer_bytes: int
    bare_footer_bytes: int


class Groups:
    """Groups that lie in one file together; ``size`` is the file's, exactly for one group and at the most for more."""

    def __init__(self, pa: Any, columns: Sequence[str]) -> None:
        self._pa = pa
        self._columns = list(columns)
        self._count = 0
        self._data = 0
        self._footer = 0
        self._bare: dict[tuple[object, ...], int] = {}

    def group(self, types: Sequence[ColumnType], rows: Sequence[Sequence[Cell]]) -> Group:
        """The rows as one group, measured."""
        return self.group_of(types, self.table(types, rows))

    def group_of(self, types: Sequence[ColumnType], table: Any) -> Group:
        sink = self._pa.BufferOutputStream()
        self._write(sink, table)
        footer, whole = self._measured(sink.getvalue())
        return Group(whole - footer - _FRAME_BYTES, footer, self.empty(types) - _FRAME_BYTES)

    def empty(self, types: Sequence[ColumnType]) -> int:
        """Bytes of a file without any row."""
        key = tuple(each.key for each in types)
        if key not in self._bare:
            sink = self._pa.BufferOutputStream()
            with self._parquet().ParquetWriter(sink, self._schema(types), compression=_COMPRESSION):
                pass
            self._bare = {key: len(sink.getvalue())}
        return self._bare[key]

    def add(self, group: Group) -> None:
        self._data += group.data_bytes
        self._footer += group.footer_bytes - (group.bare_footer_bytes if self._count else 0)
        self._count += 1

    @property
    def size(self) -> int:
        longer = _LONGER_PLACES * (len(self._columns) + 1) * (self._count - 1) if self._count > 1 else 0
        return _FRAME_BYTES + self._data + self._footer + longer

    def with_one_more(self, group: Group) -> int:
        """The size that the file would have."""
        more = Groups(self._pa, self._columns)
        more._count, more._data, more._footer = self._count, self._data, self._footer
        more.add(group)
        return more.size

    @contextmanager
    def writer(self, path: Path, types: Sequence[ColumnType]) -> Iterator[Callable[[Sequence[Sequence[Cell]]], None]]:
        """Writes rows to the file, each call's as one group."""
        with self._parquet().ParquetWriter(path, self._schema(types), compression=_COMPRESSION) as writer:
            yield lambda rows: writer.write_table(self.table(types, rows), row_group_size=max(1, len(rows)))

    def _write(self, sink: Any, table: Any) -> None:
        with self._parquet().ParquetWriter(sink, table.schema, compression=_COMPRESSION) as writer:
            writer.write_table(table, row_group_size=max(1, len(table)))

    def _measured(self, buffer: Any) -> tuple[int, int]:
        """Bytes of the footer, which the last eight bytes tell, and of the whole."""
        whole = len(buffer)
        return int.from_bytes(buffer[whole - 8 : whole - 4].to_pybytes(), "little"), whole

    def table(self, types: Sequence[ColumnType], rows: Sequence[Sequence[Cell]]) -> Any:
        arrays = [
            self._pa.array(each.values([row[place] for row in rows]), each.arrow(self._pa))
            for place, each in enumerate(types)
        ]
        return self._pa.table(arrays, schema=self._schema(types))

    def _schema(self, types: Sequence[ColumnType]) -> Any:
        pairs = zip(self._columns, types, strict=True)
        return self._pa.schema([self._pa.field(name, each.arrow(self._pa)) for name, each in pairs])

    def _parquet(self) -> Any:
        from pyarrow import parquet

        return parquet


class Growing:
    """The rows of a group that is being filled. Each becomes a value of Arrow once, however often they are measured."""

    def __init__(self, pa: Any, groups: Groups) -> None:
        self._pa = pa
        self._groups = groups
        self._table: Any = None

    def with_(self, row: Sequence[Cell], types: Sequence[ColumnType], rows: Sequence[Sequence[Cell]]) -> Group:
        """All ``rows``, of which some were measured before, and one more."""
        schema = self._groups.table(types, []).schema
        known = self._table if self._table is not None and self._table.schema == schema else None
        fresh = self._groups.table(types, rows[len(known) if known is not None else 0 :])
        # In one piece, as they will be written: pages end elsewhere in pieces.
        self._table = self._pa.concat_tables([known, fresh]).combine_chunks() if known is not None else fresh
        with_it = self._pa.concat_tables([self._table, self._groups.table(types, [row])]).combine_chunks()
        return self._groups.group_of(types, with_it)
