"""The one pass over all JSON objects: it decides the columns, and puts rows aside in the types known so far.

The exact parser learns: it reads the first objects, and every block that has something new. Arrow's confirms: it
reads the blocks in between, of which it is proved that they have nothing new. Types are joined by the rules of
``types``, which do not depend on the order of values or on where blocks end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from session_datasets.domain.limits import MIB, SPARSE_CELLS_MIN, SPARSE_CELLS_PER_BYTE
from session_datasets.domain.profile import Format, ReadingHints
from session_datasets.formats.json.arrow_parser import fits_json_text, read_fast, readable
from session_datasets.formats.json.blocks import Block
from session_datasets.formats.json.exact_parser import JsonObject, Record, block_objects, rest_records
from session_datasets.formats.json.hints import HintedValues
from session_datasets.formats.json.split import Rest, Span, blocks
from session_datasets.formats.json.types import JsonType, Kind, Seen
from session_datasets.formats.stream import NoTable
from session_datasets.formats.text.spool import Spool
from session_datasets.formats.values.row_sizes import rows_without_columns

# The first objects, from which Arrow's parser is told the types.
_FIRST_OBJECTS = 64
# Cells of one batch: objects with few of many keys make arrays of mostly nulls.
_CELLS_MAX = 2_000_000
# A batch of the rest ends with the record that reaches either bound.
_BATCH_CHARACTERS = 4 * MIB
_BATCH_ROWS = 8_192

# What becomes of the values of a column.
Column = JsonType | HintedValues


@dataclass(frozen=True, slots=True)
class Part:
    """Rows put aside: where they lie in the file, how many, and the types of the columns that they have there."""

    span: Span
    rows: int
    types: Mapping[str, JsonType]


class FirstPass:
    """``run``, then read what was found: ``columns``, and the rows, which are ``parts`` in ``spool``, then ``rest``."""

    def __init__(self, file: Path, format_: Format, columns_max: int, spool: Spool, hints: ReadingHints) -> None:
        self.file, self.format, self.spool = file, format_, spool
        self.parts: list[Part] = []
        self.rest: Rest | None = None
        self.repaired = False
        self._columns_max = columns_max
        self._nulls = frozenset(hints.nulls)
        self._hinted = {name: HintedValues(name, hint) for name, hint in hints.types.items()}
        self._seen: dict[str, Seen] = {}
        self._readable: dict[str, JsonType] = {}
        self._cells_per_row = 1
        self._rows = 0
        self._cells_max = max(SPARSE_CELLS_MIN, SPARSE_CELLS_PER_BYTE * file.stat().st_size)

    def run(self) -> None:
        """Raises NoTable for too many columns, Refusal for damage and for values that do not fit their hints."""
        for found in blocks(self.file, self.format):
            if isinstance(found, Rest):
                self.rest = found
                self._see_rest()
            else:
                self._take(found)
        self.spool.close()

    def columns(self) -> dict[str, Column]:
        """Every key in the order first seen, and what becomes of its values."""
        return {key: self._hinted.get(key) or seen.decide().finished() for key, seen in self._seen.items()}

    def rest_batches(self) -> Iterator[tuple[int, list[JsonObject]]]:
        """The rows that were not put aside, in batches, and how many rows of the file come before each."""
        if self.rest is None:
            return
        number = self.rest.number
        for records in _batches(rest_records(self.file, self.format, self.rest)):
            self.repaired = self.repaired or any(record.repaired for record in records)
            yield number, [record.value for record in records]
            number += len(records)

    def values(self, objects: Sequence[JsonObject]) -> dict[str, list[Any]]:
        """The values of each key that occurs, column by column."""
        names = dict.fromkeys(chain.from_iterable(objects))
        return {name: self._with_nulls(name, [value.get(name) for value in objects]) for name in names}

    def _with_nulls(self, name: str, values: list[Any]) -> list[Any]:
        """Null for the texts that are said to mean it; a column hinted as string keeps them."""
        if not self._nulls or (name in self._hinted and self._hinted[name].is_text):
            return values
        return [None if type(value) is str and value in self._nulls else value for value in values]

    def _take(self, block: Block) -> None:
        if not self._seen and len(block) > _FIRST_OBJECTS:
            self._learn(block.part(0, _FIRST_OBJECTS))
            block = block.part(_FIRST_OBJECTS, len(block))
        size = max(1, _CELLS_MAX // self._cells_per_row)
        for first in range(0, len(block), size):
            part = block.part(first, min(first + size, len(block)))
            batch = read_fast(part, self._readable, self._seen)
            if batch is None:
                self._learn(part)
            else:
                self._put_aside(part, self._readable, [self._kept(part, name, batch) for name in self._readable])

    def _kept(self, block: Block, name: str, batch: pa.RecordBatch) -> pa.Array:
        values, type_ = batch.column(name), self._readable[name]
        hinted = self._hinted.get(name)
        if self._nulls and type_.kind is Kind.STRING and not (hinted and hinted.is_text):
            told = pc.is_in(values, pa.array(self._nulls, pa.string()))
            values = pc.if_else(told, pa.scalar(None, pa.string()), values)
        return hinted.see_array(values, type_, block.number) if hinted else values

    def _learn(self, block: Block) -> None:
        objects, repaired = block_objects(block)
        self.repaired = self.repaired or repaired
        self._learn_objects(block, objects)

    def _learn_objects(self, block: Block, objects: list[JsonObject]) -> None:
        self._name_columns(objects)
        if len(objects) > 1 and len(self._seen) * len(objects) > _CELLS_MAX:
            half = len(objects) // 2
            self._learn_objects(block.part(0, half), objects[:half])
            self._learn_objects(block.part(half, len(objects)), objects[half:])
            return
        values = self.values(objects)
        arrays = self._see(values, block.number)
        self._put_aside(block, {name: self._seen[name].decide() for name in values}, arrays)
        types = {name: self._expected(name, values.get(name, ())) for name in self._seen}
        self._readable = {name: type_ for name, type_ in types.items() if type_}
        self._cells_per_row = max(1, sum(map(_leaf_count, self._readable.values())))

    def _expected(self, name: str, values: Sequence[Any]) -> JsonType | None:
        """The type that Arrow's parser is told of a column, after the exact one saw these values last.

        Where values of several kinds become JSON text, the next ones may all be of the kind that the last ones were;
        where some integers are wide, the next ones may not be.
        """
        type_ = self._seen[name].decide()
        if type_.kind in (Kind.JSON, Kind.DECIMAL):
            last = Seen()
            last.see_all(values)
            type_ = last.decide()
            if not fits_json_text(type_):
                return None
        if name in self._hinted and not self._hinted[name].can_see(type_):
            return None
        return readable(type_)

    def _name_columns(self, objects: Iterable[JsonObject]) -> None:
        for name in dict.fromkeys(chain.from_iterable(objects)):
            self._seen.setdefault(name, Seen())
            if len(self._seen) > self._columns_max:
                raise NoTable(
                    f"The objects of this file have more than {self._columns_max:,} different keys, too many columns "
                    "to be paged. It can be listed and loaded."
                )

    def _see(self, values: Mapping[str, list[Any]], number: int) -> list[pa.Array]:
        """The values in the types known by now."""
        arrays = []
        for name, column in values.items():
            self._seen[name].see_all(column)
            hinted = self._hinted.get(name)
            arrays.append(hinted.see(column, number) if hinted else self._seen[name].decide().array(column))
        return arrays

    def _put_aside(self, block: Block, types: Mapping[str, JsonType], arrays: list[pa.Array]) -> None:
        batch = pa.RecordBatch.from_arrays(arrays, names=list(types)) if types else rows_without_columns(len(block))
        self._count(len(block))
        span = Span.of(block)
        self.parts.append(Part(span, len(block), types))
        self.spool.write(batch, span.size)

    def _see_rest(self) -> None:
        for number, objects in self.rest_batches():
            self._name_columns(objects)
            self._count(len(objects))
            for name, column in self.values(objects).items():
                self._seen[name].see_all(column)
                if name in self._hinted:
                    self._hinted[name].see(column, number)

    def _count(self, rows: int) -> None:
        """Objects of few keys each, and of ever others, are small as text and have more cells than anyone pages."""
        self._rows += rows
        if self._rows * len(self._seen) > self._cells_max:
            raise NoTable(
                f"The objects of this file share too few keys: with {len(self._seen):,} of them, its first "
                f"{self._rows:,} rows would have {self._rows * len(self._seen):,} cells, nearly all of them empty. "
                "It can be listed and loaded; written as one row of key and value each, it would page."
            )


def _leaf_count(json_type: JsonType) -> int:
    if json_type.item is not None:
        return _leaf_count(json_type.item)
    return 1 + sum(_leaf_count(field) for _, field in json_type.fields)


def _batches(records: Iterable[Record]) -> Iterator[list[Record]]:
    batch: list[Record] = []
    characters = 0
    for record in records:
        batch.append(record)
        characters += record.characters
        if characters >= _BATCH_CHARACTERS or len(batch) == _BATCH_ROWS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch
