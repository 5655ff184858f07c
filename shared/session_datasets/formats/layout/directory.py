"""The directory of a laid-out dataset: all that a reader must know before it reads its first row.

Columns with their Arrow types and cell rules, how many rows and bytes each segment has, and what the other derived
objects need to be read. A small directory travels inside the record, as ``layout_parameters``; a larger one lies
behind the last segment of the rows object and costs each process one request.
"""

from __future__ import annotations

import base64
import json
from array import array
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

import pyarrow as pa

from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.limits import KIB, MIB
from session_datasets.domain.near_names import near_names
from session_datasets.domain.profile import Column, JsonValue, Layout, Role
from session_datasets.domain.quoting import quoted
from session_datasets.formats.layout.encodings import leaf_count
from session_datasets.formats.layout.held import Held
from session_datasets.formats.layout.ranged_file import Reader, Sink
from session_datasets.formats.values.cells import CellRules
from session_datasets.formats.values.nested import type_in_words

# Bytes of a directory inside the record, before base64: a record stays far below DynamoDB's 400 KB.
INLINE_BYTES_MAX = 24 * KIB
# Bytes of directories, uncompressed, kept in one process.
_HELD_BYTES_MAX = 32 * MIB
_HEADER_END = b"\n"
_NUMBER_BYTES = 4


@dataclass(frozen=True, slots=True)
class Directory:
    """``row_ends`` and ``byte_ends``: where each segment ends, counted from the first row and byte."""

    schema: pa.Schema
    rules: tuple[CellRules, ...]
    columns: tuple[Column, ...]
    row_ends: Sequence[int]
    byte_ends: Sequence[int]
    # What else the layout remembers, as JSON values by name: see columns.py and pyramid.py.
    more: Mapping[str, JsonValue] = field(default_factory=dict)
    # Where each column's leaves end in a Parquet file of this schema.
    _leaf_ends: Sequence[int] = ()

    @classmethod
    def of(
        cls,
        schema: pa.Schema,
        rules: Sequence[CellRules],
        segment_rows: Sequence[int],
        segment_bytes: Sequence[int],
        more: Mapping[str, JsonValue],
    ) -> Directory:
        columns = tuple(
            Column(name, type_in_words(rule.type), rule.encoding)
            for name, rule in zip(schema.names, rules, strict=True)
        )
        leaf_ends = list(accumulate(leaf_count(type_) for type_ in schema.types))
        ends = (list(accumulate(segment_rows)), list(accumulate(segment_bytes)))
        return cls(schema, tuple(rules), columns, *ends, more, leaf_ends)

    def leaves(self, places: Sequence[int]) -> list[int]:
        """The places of the columns' leaves in a Parquet file of this schema, ascending: a name can be mistaken."""
        return [
            leaf
            for place in sorted(places)
            for leaf in range(self._leaf_ends[place - 1] if place else 0, self._leaf_ends[place])
        ]

    def schema_of(self, places: Sequence[int]) -> pa.Schema:
        """The columns in the order asked for."""
        return pa.schema([self.schema.field(place) for place in places])

    def segment_of(self, row: int) -> int:
        return bisect_right(self.row_ends, row)

    def rows_of(self, segment: int) -> tuple[int, int]:
        """Its first row, and the row after its last."""
        return (self.row_ends[segment - 1] if segment else 0), self.row_ends[segment]

    def bytes_of(self, segment: int) -> tuple[int, int]:
        return (self.byte_ends[segment - 1] if segment else 0), self.byte_ends[segment]

    def chosen(self, names: Sequence[str] | None) -> tuple[int, ...]:
        """The places of the columns, in the order asked for, all for None. Refusal for a wrong choice."""
        if names is None:
            return tuple(range(len(self.columns)))
        if not names:
            raise Refusal(ProblemCode.INVALID_REQUEST, "'columns' is empty; name at least one column, or leave it out.")
        if len(set(names)) != len(names):
            raise Refusal(ProblemCode.INVALID_REQUEST, "'columns' names a column twice.")
        places = {column.name: place for place, column in enumerate(self.columns)}
        for name in names:
            if name not in places:
                raise _unknown_column(name, places)
        return tuple(places[name] for name in names)

    def packed(self) -> bytes:
        header = {
            "schema": base64.b64encode(self.schema.serialize().to_pybytes()).decode("ascii"),
            "rules": [[rule.exact, rule.finite] for rule in self.rules],
            "segments": len(self.row_ends),
            "more": dict(self.more),
        }
        numbers = (_transposed(array("I", _steps(ends)).tobytes()) for ends in (self.row_ends, self.byte_ends))
        plain = json.dumps(header, separators=(",", ":")).encode() + _HEADER_END + b"".join(numbers)
        return bytes(pa.compress(plain, codec="zstd", asbytes=True))


def stored(directory: Directory, sink: Sink) -> dict[str, JsonValue]:
    """The directory inside the layout's parameters, or their word where it lies: at the end of the rows."""
    packed = directory.packed()
    if len(packed) <= INLINE_BYTES_MAX:
        return {"directory": base64.b64encode(packed).decode("ascii")}
    place: dict[str, JsonValue] = {"directory_offset": sink.tell(), "directory_bytes": len(packed)}
    sink.write(packed)
    return place


def unpacked(data: bytes) -> Directory:
    return _unpacked(_plain(data))


def _plain(data: bytes) -> bytes:
    return bytes(pa.CompressedInputStream(pa.BufferReader(data), "zstd").read())


def _unpacked(plain: bytes) -> Directory:
    text, _, numbers = plain.partition(_HEADER_END)
    header = json.loads(text)
    schema = pa.ipc.read_schema(pa.BufferReader(base64.b64decode(header["schema"])))
    rules = [
        CellRules(type_, exact, finite) for type_, (exact, finite) in zip(schema.types, header["rules"], strict=True)
    ]
    half = header["segments"] * _NUMBER_BYTES
    rows, sizes = (array("I", _restored(part)) for part in (numbers[:half], numbers[half:]))
    return Directory.of(schema, rules, rows, sizes, header["more"])


def _steps(ends: Sequence[int]) -> list[int]:
    return [end - begin for begin, end in zip([0, *ends], ends, strict=False)]


def _transposed(numbers: bytes) -> bytes:
    """All first bytes, then all second ones …: the high bytes of sizes that are alike compress to nothing."""
    return b"".join(numbers[byte::_NUMBER_BYTES] for byte in range(_NUMBER_BYTES))


def _restored(transposed: bytes) -> bytes:
    count = len(transposed) // _NUMBER_BYTES
    return b"".join(transposed[place::count] for place in range(count))


class Directories:
    """Directories read by this process."""

    def __init__(self, bytes_max: int = _HELD_BYTES_MAX) -> None:
        self._held: Held[Directory] = Held(bytes_max)

    def of(self, reader: Reader, layout: Layout) -> Directory:
        """No request for a directory inside the record, or one that this process has read before; one otherwise."""

        def read() -> tuple[Directory, int]:
            plain = _plain(_data(reader, layout.parameters))
            return _unpacked(plain), len(plain)

        return self._held.of(layout.objects[Role.ROWS], read)


def _data(reader: Reader, parameters: Mapping[str, JsonValue]) -> bytes:
    if "directory" in parameters:
        return base64.b64decode(parameters["directory"])
    return reader.read(Role.ROWS, int(parameters["directory_offset"]), int(parameters["directory_bytes"]))


def _unknown_column(name: str, places: Mapping[str, int]) -> Refusal:
    return Refusal(
        ProblemCode.UNKNOWN_COLUMN,
        f"There is no column {quoted(name)}; nothing was read.",
        did_you_mean=near_names(name, places),
    )
