"""Builders of files that people really upload: good ones with oddities, and damaged ones."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(range(64))
PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n"
BINARY = bytes(range(256)) * 8
PROSE = b"Dear all,\n\nthe results are in the other file. We ran it twice, once by day, once by night.\n\nBest\n"


def zip_file(*names: str) -> bytes:
    """An archive with members of these names."""
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        for name in names or ("readme.txt",):
            archive.writestr(name, "<x/>")
    return sink.getvalue()


def arrow_file(table: pa.Table | Mapping[str, Any], batch_rows: int | None = None, **options: Any) -> bytes:
    return _ipc(pa.ipc.new_file, table, batch_rows, options)


def arrow_stream(table: pa.Table | Mapping[str, Any], batch_rows: int | None = None, **options: Any) -> bytes:
    return _ipc(pa.ipc.new_stream, table, batch_rows, options)


def _ipc(new: Any, table: pa.Table | Mapping[str, Any], batch_rows: int | None, options: dict[str, Any]) -> bytes:
    whole = table if isinstance(table, pa.Table) else pa.table(dict(table))
    sink = io.BytesIO()
    with new(sink, whole.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(whole, batch_rows)
    return sink.getvalue()


def npy(array: Any, version: tuple[int, int] | None = None) -> bytes:
    sink = io.BytesIO()
    np.lib.format.write_array(sink, np.asanyarray(array), version)
    return sink.getvalue()


def parquet(table: pa.Table | Mapping[str, Any], **options: Any) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table if isinstance(table, pa.Table) else pa.table(dict(table)), sink, **options)
    return sink.getvalue()


def dictionary_bomb(value_bytes: int, rows: int, nested: bool = False) -> bytes:
    """A small Parquet file whose one text, repeated by a dictionary, decodes to ``value_bytes * rows`` bytes.

    Nested: ten of them in each list of a tenth of the rows.
    """
    values: pa.Array = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), ["x" * value_bytes])
    if nested:
        values = pa.ListArray.from_arrays(pa.array(range(0, rows + 1, 10), pa.int32()), values)
    return parquet({"text": values})


def json_lines(rows: Sequence[Mapping[str, Any]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def csv_field(value: str | None, quoted: bool) -> str:
    """None as an empty field; a text quoted when asked to or when it has to be."""
    if value is None:
        return ""
    if quoted or value == "" or any(mark in value for mark in ',"\r\n'):
        return '"' + value.replace('"', '""') + '"'
    return value
