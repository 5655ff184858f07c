"""Instants counted in seconds that milliseconds do not reach, some 292 million years from 1970.

Rows are laid out as Parquet, which counts instants in milliseconds at the coarsest. So a column with such an instant,
at any level, becomes one of ISO 8601 texts, which spell all of them; whether there is one is known once all rows were
seen, so they are read twice where a column counts seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kind

from session_datasets.formats.stream import names_in_words
from session_datasets.formats.typed.plain_values import made_plain
from session_datasets.formats.typed.typed_rows import DECLARED
from session_datasets.formats.values.nested import leaves

# The rule of docs/typing.md by which such a column is text.
FAR = "seconds beyond milliseconds kept as text"
_SECONDS_MAX = (2**63 - 1) // 1_000
Batches = Iterator[pa.RecordBatch]


@dataclass(frozen=True, slots=True)
class Kept:
    """The rows with such columns as texts, the rule of every column, and what a person should know."""

    schema: pa.Schema
    batches: Batches
    rules: list[str]
    remarks: Sequence[str]


def with_far_seconds(schema: pa.Schema, read: Callable[[], Batches]) -> Kept:
    """``read`` begins the rows anew, in the plain types of ``schema``; what it raises is raised here or by the rows."""
    counting = [place for place, field in enumerate(schema) if _as_texts(field.type) != field.type]
    far = _far(read(), counting) if counting else set()
    if not far:
        return Kept(schema, read(), [DECLARED] * len(schema), ())
    fields = [field.with_type(_as_texts(field.type)) if place in far else field for place, field in enumerate(schema)]
    rules = [FAR if place in far else DECLARED for place in range(len(schema))]
    told = "Columns kept as text, as they have instants further than milliseconds count: "
    remark = f"{told}{names_in_words(schema[place].name for place in sorted(far))}."
    return Kept(pa.schema(fields), _spelled(read(), pa.schema(fields)), rules, [remark])


def _far(batches: Batches, counting: Sequence[int]) -> set[int]:
    return {place for batch in batches for place in counting if any(map(_is_far, leaves(batch.column(place))))}


def _is_far(values: pa.Array) -> bool:
    if not _counts_seconds(values.type):
        return False
    ends = pc.min_max(values.cast(pa.int64()))
    low, high = ends["min"].as_py(), ends["max"].as_py()
    return low is not None and (low < -_SECONDS_MAX or high > _SECONDS_MAX)


def _counts_seconds(type_: pa.DataType) -> bool:
    return bool(kind.is_timestamp(type_) and type_.unit == "s")


def _as_texts(type_: pa.DataType) -> pa.DataType:
    """The plain type with texts in place of instants in seconds; the same where there are none."""
    if kind.is_struct(type_):
        return pa.struct([field.with_type(_as_texts(field.type)) for field in type_])
    if kind.is_map(type_):
        return pa.map_(_as_texts(type_.key_type), _as_texts(type_.item_type))
    if kind.is_fixed_size_list(type_):
        return pa.list_(_as_texts(type_.value_type), type_.list_size)
    if kind.is_large_list(type_):
        return pa.large_list(_as_texts(type_.value_type))
    if kind.is_list(type_):
        return pa.list_(_as_texts(type_.value_type))
    return pa.string() if _counts_seconds(type_) else type_


def _spelled(batches: Batches, schema: pa.Schema) -> Batches:
    for batch in batches:
        columns = [made_plain(values, type_) for values, type_ in zip(batch.columns, schema.types, strict=True)]
        yield pa.RecordBatch.from_arrays(columns, schema=schema)
