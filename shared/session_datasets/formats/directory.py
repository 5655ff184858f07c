"""The directory of a laid-out dataset: all that a reader must know before it reads its first row.

Columns with their Arrow types and cell rules, and how many rows and bytes each segment has. A small directory
travels inside the record, as ``layout_parameters``; a larger one lies behind the last segment of the rows object and
costs each process one request.
"""

from __future__ import annotations

import base64
import json
from array import array
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

import pyarrow as pa

from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.limits import KIB, MIB
from session_datasets.domain.near_names import near_names
from session_datasets.domain.profile import Column, JsonValue, Layout, Role
from session_datasets.formats.cells import CellRules
from session_datasets.formats.nested import type_in_words
from session_datasets.formats.ranged_file import Reader

# Bytes of a directory inside the record, before base64: a record stays far below DynamoDB's 400 KB.
INLINE_BYTES_MAX = 24 * KIB
# Bytes of directories, uncompressed, kept in one process, least recently used out first.
_HELD_BYTES_MAX = 32 * MIB
_HEADER_END = b"\n"


@dataclass(frozen=True, slots=True)
class Directory:
    """``row_ends`` and ``byte_ends``: where each segment ends, counted from the first row and byte."""

    schema: pa.Schema
    rules: tuple[CellRules, ...]
    columns: tuple[Column, ...]
    row_ends: Sequence[int]
    byte_ends: Sequence[int]
    # What else the layout remembers, as JSON values by name.
    more: Mapping[str, JsonValue] = field(default_factory=dict)

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
        return cls(schema, tuple(rules), columns, list(accumulate(segment_rows)), list(accumulate(segment_bytes)), more)

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
        numbers = (array("I", _steps(ends)).tobytes() for ends in (self.row_ends, self.byte_ends))
        plain = json.dumps(header, separators=(",", ":")).encode() + _HEADER_END + b"".join(numbers)
        return bytes(pa.compress(plain, codec="zstd", asbytes=True))


def unpacked(data: bytes) -> Directory:
    plain = pa.CompressedInputStream(pa.BufferReader(data), "zstd").read()
    text, _, numbers = plain.partition(_HEADER_END)
    header = json.loads(text)
    schema = pa.ipc.read_schema(pa.BufferReader(base64.b64decode(header["schema"])))
    rules = [
        CellRules(type_, exact, finite) for type_, (exact, finite) in zip(schema.types, header["rules"], strict=True)
    ]
    both = array("I", numbers)
    count = header["segments"]
    return Directory.of(schema, rules, both[:count], both[count:], header["more"])


def _steps(ends: Sequence[int]) -> list[int]:
    return [end - begin for begin, end in zip([0, *ends], ends, strict=False)]


class Directories:
    """Directories read by this process, by the rows object's key and version, which never change under it."""

    def __init__(self, bytes_max: int = _HELD_BYTES_MAX) -> None:
        self._bytes_max = bytes_max
        self._held: OrderedDict[tuple[str, str], tuple[Directory, int]] = OrderedDict()

    def of(self, reader: Reader, layout: Layout) -> Directory:
        """No request for a directory inside the record, or one that this process has read before; one otherwise."""
        rows = layout.objects[Role.ROWS]
        place = (rows.key, rows.version_id)
        if place not in self._held:
            data = _data(reader, layout.parameters)
            self._held[place] = (unpacked(data), len(data))
        self._held.move_to_end(place)
        while len(self._held) > 1 and sum(size for _, size in self._held.values()) > self._bytes_max:
            self._held.popitem(last=False)
        return self._held[place][0]


def _data(reader: Reader, parameters: Mapping[str, JsonValue]) -> bytes:
    if "directory" in parameters:
        return base64.b64decode(parameters["directory"])
    return reader.read(Role.ROWS, int(parameters["directory_offset"]), int(parameters["directory_bytes"]))


def _unknown_column(name: str, places: Mapping[str, int]) -> Refusal:
    shown = name if len(name) <= 100 else name[:100] + "…"
    return Refusal(
        ProblemCode.UNKNOWN_COLUMN,
        f"There is no column '{shown}'; nothing was read.",
        did_you_mean=near_names(name, places),
    )
