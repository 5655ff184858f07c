"""Batches put aside in a scratch file of a folder, whose columns may change their types from one batch to the next."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

# Where the converted rows of a block are larger than this many times the block's text (columns of short numbers and
# of nothing), they are compressed, so that the scratch file stays about as large as the text.
_PLAIN_RATIO = 1.25


class Spool:
    """``write`` batches, ``close``, then ``read`` them in order; not again after that.

    The file is a sequence of Arrow IPC streams, a new one whenever the schema or the compression changes. Nothing is
    mapped into memory: what was written counts as the file system's cache and not as the process.
    """

    def __init__(self, folder: Path) -> None:
        handle, name = tempfile.mkstemp(dir=folder, prefix="spool-")
        os.close(handle)
        self._path = Path(name)
        self._file = pa.OSFile(name, "wb")
        self._writer: pa.RecordBatchStreamWriter | None = None
        self._form: tuple[pa.Schema, bool] | None = None

    def write(self, batch: pa.RecordBatch, text_bytes: int) -> None:
        """``text_bytes`` is what the rows took in the file they were read from."""
        form = (batch.schema, batch.nbytes > _PLAIN_RATIO * text_bytes)
        if form != self._form:
            self._end_stream()
            options = pa.ipc.IpcWriteOptions(compression="lz4" if form[1] else None, use_threads=False)
            self._writer = pa.ipc.new_stream(self._file, batch.schema, options=options)
            self._form = form
        assert self._writer is not None
        self._writer.write_batch(batch)

    def _end_stream(self) -> None:
        if self._writer is not None:
            self._writer.close()

    def close(self) -> None:
        self._end_stream()
        self._file.close()

    def read(self) -> Iterator[pa.RecordBatch]:
        """All batches; the file is removed after the last one."""
        size = self._path.stat().st_size
        with pa.OSFile(str(self._path), "rb") as file:
            while file.tell() < size:
                yield from pa.ipc.open_stream(file, options=pa.ipc.IpcReadOptions(use_threads=False))
        self._path.unlink()
