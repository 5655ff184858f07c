"""Rows of a file whose columns have types already: made plain, checked, in small pieces, under a budget."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import pyarrow as pa

from session_datasets.domain.limits import MIB
from session_datasets.formats.stream import NoTable, Renamed, damaged, distinct_names, names_in_words, pairs_in_words
from session_datasets.formats.typed.plain_values import made_plain, plain_type
from session_datasets.formats.typed.soundness import require_sound
from session_datasets.formats.values.row_sizes import batch_bytes, require_small_rows, small_slices

# The rule of docs/typing.md by which a column of such a file has its type.
DECLARED = "declared by the file"
# Bytes of a piece of rows that is handed on.
_PIECE_BYTES = 8 * MIB


@contextmanager
def told_as_damage(detail: str, advice: str) -> Iterator[None]:
    """What Arrow raises at a damaged file; a lack of memory is none, and passes."""
    try:
        yield
    except MemoryError:
        raise
    except (pa.ArrowException, OSError, ValueError, OverflowError, TypeError, KeyError) as error:
        raise damaged(detail, advice) from error


def require_few_columns(count: int, columns_max: int, what: str) -> None:
    """NoTable beyond ``columns_max``; ``what`` is the file, for a sentence."""
    if count > columns_max:
        raise NoTable(
            f"{what[0].upper()}{what[1:]} has {count:,} columns, more than the {columns_max:,} that can be paged. "
            "It can be listed and loaded."
        )


def plain_schema(names: Sequence[str], types: Sequence[pa.DataType]) -> tuple[pa.Schema, list[str]]:
    """The schema of the rows, and remarks on the names that had to change."""
    names, remarks = distinct_names(names)
    renamed: dict[str, list[Renamed]] = {name: [] for name in names}
    fields = [pa.field(name, plain_type(type_, renamed[name])) for name, type_ in zip(names, types, strict=True)]
    if changed := {name: pairs for name, pairs in renamed.items() if pairs}:
        remarks.append(_renamed_in_words(changed))
    return pa.schema(fields), remarks


def _renamed_in_words(renamed: Mapping[str, list[Renamed]]) -> str:
    told = pairs_in_words([pair for pairs in renamed.values() for pair in pairs])
    return f"Fields inside {names_in_words(renamed)} without a name of their own were renamed: {told}."


def plain_batches(
    batches: Iterable[pa.RecordBatch], schema: pa.Schema, decoded_bytes_max: int, what: str
) -> Iterator[pa.RecordBatch]:
    """The rows as ``schema``, which ``plain_schema`` made, in pieces of a few megabytes or one row.

    NoTable once they are larger than ``decoded_bytes_max`` together, which is counted before texts that a dictionary
    repeats are written out; Refusal unreadable-file for values that are not what their type says.
    """
    decoded = 0
    for batch in batches:
        for piece in small_slices(batch, _PIECE_BYTES):
            if piece.num_rows == 1:  # which may be of any size, and is not written out to find that out
                require_small_rows(piece)
            decoded += max(batch_bytes(piece), piece.num_rows)
            if decoded > decoded_bytes_max:
                raise too_large(decoded_bytes_max, what)
            yield _made_plain(piece, schema)


def too_large(decoded_bytes_max: int, what: str) -> NoTable:
    return NoTable(
        f"The rows of {what} are larger than {decoded_bytes_max:,} bytes once decoded, "
        "more than can be laid out as pages. It can be listed and loaded."
    )


def _made_plain(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    if not len(schema):
        return batch
    arrays = [made_plain(column, field.type) for column, field in zip(batch.columns, schema, strict=True)]
    for field, values in zip(schema, arrays, strict=True):
        require_sound(field.name, values)
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
