"""A table of an Arrow file, batch by batch, and only of one whose buffers are as large as they look.

The file holds Arrow's stream between its marks. Arrow unpacks a compressed buffer to whatever size the buffer says, so
the heads of all messages are looked at first; this package writes none that is compressed.
"""

from __future__ import annotations

import os
import struct
from io import BufferedReader
from typing import Any

from session_datasets.boundary.references.guards import OverBudget
from session_datasets.client.frames import required_pyarrow

_MARK = b"ARROW1\0\0"
_NEXT = 0xFFFFFFFF
# Fields of Arrow's tables in Message.fbs, by their number, and the kinds of a message that have buffers.
_KIND, _HEAD, _BODY_BYTES = 1, 2, 3
_DICTIONARY, _BATCH = 2, 3
_DATA_OF_DICTIONARY = 1
_COMPRESSION_OF_BATCH = 3


def unpacked(file: BufferedReader, bytes_max: int) -> Any:
    """The table. OverBudget above ``bytes_max``; ValueError, struct.error or Arrow's own for a file that is none."""
    pa = required_pyarrow()
    if file.read(len(_MARK)) != _MARK:
        raise ValueError("it does not begin as one")
    _refuse_compressed(file)
    file.seek(len(_MARK))
    opened = pa.ipc.open_stream(pa.PythonFile(file, mode="r"))
    batches, size = [], 0
    for batch in opened:
        # Its offsets may lead anywhere; Arrow follows them without a look, even to count its bytes.
        batch.validate(full=True)
        size += batch.nbytes
        if size > bytes_max:
            raise OverBudget
        batches.append(batch)
    return pa.Table.from_batches(batches, schema=opened.schema)


def _refuse_compressed(file: BufferedReader) -> None:
    """ValueError for a file with a compressed message. No body is read."""
    begin = file.tell()
    end = file.seek(0, os.SEEK_END)
    file.seek(begin)
    while length := _length_of_next(file):
        _require_within(end, file, length)
        message = _Table.root(file.read(length))
        kind = message.number(_KIND, "<B")
        if kind in (_DICTIONARY, _BATCH):
            head = message.table(_HEAD)
            batch = head.table(_DATA_OF_DICTIONARY) if kind == _DICTIONARY else head
            if batch.at(_COMPRESSION_OF_BATCH):
                raise ValueError("its buffers are compressed, which no file of this package is")
        body = message.number(_BODY_BYTES, "<q")
        _require_within(end, file, body)
        file.seek(body, os.SEEK_CUR)


def _require_within(end: int, file: BufferedReader, size: int) -> None:
    """Before bytes are taken or passed over: what a file says of itself may be any number."""
    if size < 0:
        raise ValueError("a message of it has less than no bytes")
    if size > end - file.tell():
        raise ValueError("a message of it does not end within it")


def _length_of_next(file: BufferedReader) -> int:
    """In bytes, of the next message's head; 0 at the end."""
    mark, length = struct.unpack("<Ii", file.read(8))
    if mark != _NEXT or length < 0:
        raise ValueError("a message of it does not begin as one")
    return int(length)


class _Table:
    """One table of a flatbuffer: where its fields lie. struct.error for places outside of the bytes."""

    def __init__(self, data: bytes, place: int) -> None:
        self._data = data
        self._place = place
        self._fields = place - self._read("<i", place)
        self._fields_bytes = self._read("<H", self._fields)

    @classmethod
    def root(cls, data: bytes) -> _Table:
        return cls(data, struct.unpack_from("<I", data)[0])

    def at(self, field: int) -> int:
        """Where the field lies; 0 when it is left out."""
        entry = 4 + 2 * field
        if entry + 2 > self._fields_bytes:
            return 0
        offset = self._read("<H", self._fields + entry)
        return self._place + offset if offset else 0

    def number(self, field: int, form: str) -> int:
        place = self.at(field)
        return self._read(form, place) if place else 0

    def table(self, field: int) -> _Table:
        place = self.at(field)
        if not place:
            raise ValueError("a message of it has no head")
        return _Table(self._data, place + self._read("<I", place))

    def _read(self, form: str, place: int) -> int:
        if place < 0:
            raise ValueError("a message of it points before its start")
        return int(struct.unpack_from(form, self._data, place)[0])
