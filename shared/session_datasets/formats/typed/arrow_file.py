"""Arrow IPC, as a file (Feather version 2) or as a stream: every batch is checked before a value of it is touched.

Arrow believes an IPC file: offsets that point anywhere are followed. So the headers are read first, which say what a
compressed batch will take, and every batch is validated in full before anything else looks at it. A column of
dictionaries, views, runs or an extension type is read as its values; unions and calendar intervals have no rows here.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kind

from session_datasets.domain.limits import GIB
from session_datasets.domain.profile import Format
from session_datasets.formats.stream import NoTable, TableStream, names_in_words
from session_datasets.formats.typed.arrow_headers import FILE_MAGIC, file_claims, stream_claims
from session_datasets.formats.typed.far_seconds import with_far_seconds
from session_datasets.formats.typed.typed_rows import (
    plain_batches,
    plain_schema,
    require_few_columns,
    told_as_damage,
    too_large,
)

_WHAT = "this Arrow file"
_ADVICE = "Write the file again with the library it came from, then upload and register it."
# Bytes of one batch once decompressed, which Arrow does as a whole.
_BATCH_BYTES_MAX = 1 * GIB


def open_arrow(file: Path, columns_max: int, decoded_bytes_max: int) -> TableStream:
    """Raises NoTable for what can not be paged, Refusal when damaged; so do the batches."""
    with file.open("rb") as opened:
        in_a_file = opened.read(len(FILE_MAGIC)) == FILE_MAGIC
    ended = _require_affordable(file, in_a_file, decoded_bytes_max)
    with told_as_damage("The schema of this Arrow file can not be read.", _ADVICE):
        found, _ = _opened(file, in_a_file)
        require_few_columns(len(found), columns_max, _WHAT)
        _require_known_types(found)
        schema, remarks = plain_schema(found.names, found.types)
    if not in_a_file and not ended:
        remarks.append("The Arrow stream has no mark of its end: if its writer was interrupted, rows are missing.")
    reading = {"container": "file" if in_a_file else "stream"}
    kept = with_far_seconds(schema, lambda: _sound_rows(file, in_a_file, schema, decoded_bytes_max))
    return TableStream(Format.ARROW, kept.schema, kept.batches, [*remarks, *kept.remarks], kept.rules, reading)


def _require_affordable(file: Path, in_a_file: bool, decoded_bytes_max: int) -> bool:
    """Whether the end is marked. NoTable when the batches claim more than is decoded."""
    rows = 0
    with (
        file.open("rb") as opened,
        mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as mapped,
        memoryview(mapped) as data,
    ):
        for claim in (file_claims if in_a_file else stream_claims)(data):
            if claim is None:
                return True
            if claim.decoded_bytes > _BATCH_BYTES_MAX:
                raise NoTable(
                    f"A batch of this Arrow file takes {claim.decoded_bytes:,} bytes once decompressed, more "
                    f"than the {_BATCH_BYTES_MAX:,} that can be paged. It can be listed and loaded; written in "
                    "smaller batches it can be paged, too."
                )
            rows += claim.rows
            if rows > decoded_bytes_max:  # every row counts a byte at least
                raise too_large(decoded_bytes_max, _WHAT)
    return False


def _opened(file: Path, in_a_file: bool) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    options = pa.ipc.IpcReadOptions(use_threads=False)
    source = pa.memory_map(str(file))
    if in_a_file:
        reader = pa.ipc.open_file(source, options=options)
        return reader.schema, (reader.get_batch(place) for place in range(reader.num_record_batches))
    stream = pa.ipc.open_stream(source, options=options)
    return stream.schema, iter(stream)


def _sound_rows(file: Path, in_a_file: bool, schema: pa.Schema, decoded_bytes_max: int) -> Iterator[pa.RecordBatch]:
    with told_as_damage("The rows of this Arrow file are damaged.", _ADVICE):
        _, batches = _opened(file, in_a_file)
        yield from plain_batches(map(_validated, batches), schema, decoded_bytes_max, _WHAT)


def _validated(batch: pa.RecordBatch) -> pa.RecordBatch:
    batch.validate(full=True)
    return batch if not batch.num_columns else _with_runs_as_dictionaries(batch)


def _with_runs_as_dictionaries(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The value of a long run is repeated by its place, so that it is counted before it is written out."""
    if not any(kind.is_run_end_encoded(type_) for type_ in batch.schema.types):
        return batch
    columns = [_as_dictionary(column) if kind.is_run_end_encoded(column.type) else column for column in batch.columns]
    return pa.RecordBatch.from_arrays(columns, batch.schema.names)


def _as_dictionary(runs: pa.Array) -> pa.Array:
    places = pa.array(range(len(runs.values)), pa.int32())
    whole = pa.RunEndEncodedArray.from_arrays(runs.run_ends, places)
    return pa.DictionaryArray.from_arrays(pc.run_end_decode(whole.slice(runs.offset, len(runs))), runs.values)


def _require_known_types(schema: pa.Schema) -> None:
    unknown = [field.name for field in schema if not _is_known(field.type, top=True)]
    if unknown:
        raise NoTable(
            f"Columns of this Arrow file have a type without rows that can be paged (a union, a calendar interval, or "
            f"runs and dictionaries of nested values): {names_in_words(unknown)}. It can be listed and loaded; with "
            "those columns written as structs, lists or texts it can be paged, too."
        )


def _is_known(type_: pa.DataType, top: bool = False) -> bool:
    if isinstance(type_, pa.BaseExtensionType):
        return _is_known(type_.storage_type, top)
    if kind.is_run_end_encoded(type_):
        return top and _is_known(type_.value_type) and not kind.is_dictionary(type_.value_type)
    if kind.is_dictionary(type_):
        return not kind.is_nested(type_.value_type) and not kind.is_dictionary(type_.value_type)
    if kind.is_union(type_) or kind.is_interval(type_):
        return False
    if kind.is_map(type_):
        return _is_known(type_.key_type) and _is_known(type_.item_type)
    return all(_is_known(type_.field(place).type) for place in range(type_.num_fields))
