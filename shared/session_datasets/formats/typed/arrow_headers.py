"""The messages of an Arrow IPC file, by their headers alone: what they claim, before anything acts on it.

Arrow's own reader decompresses a batch as soon as it is asked for one. Its headers say how large that will be: a
compressed buffer begins with its uncompressed size, and never yields more. They are FlatBuffers, of which a few
fields are read here: a table begins with the distance to the list of its fields' places.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from session_datasets.formats.stream import damaged

FILE_MAGIC = b"ARROW1"
CONTINUATION = b"\xff\xff\xff\xff"
_SCHEMA, _DICTIONARY_BATCH, _RECORD_BATCH = 1, 2, 3
_FOOTER_BLOCK_BYTES = 24
_ADVICE = "Write the file again, close the writer, upload the whole of it and register it."

Data = bytes | memoryview


@dataclass(frozen=True, slots=True)
class Claim:
    """What one batch says of itself: its rows (a dictionary's values aside), and its bytes once decompressed."""

    rows: int
    decoded_bytes: int


class _Table:
    """One FlatBuffers table at ``place`` of ``data``."""

    def __init__(self, data: Data, place: int) -> None:
        self.data = data
        self._place = place
        self._fields = place - _number("<i", data, place)

    def at(self, field: int) -> int | None:
        """Where the field lies; None when it is absent."""
        entry = 4 + 2 * field
        if self._fields < 0 or entry >= _number("<H", self.data, self._fields):
            return None
        distance = _number("<H", self.data, self._fields + entry)
        return self._place + distance if distance else None

    def number(self, kind: str, field: int) -> int:
        place = self.at(field)
        return 0 if place is None else _number(kind, self.data, place)

    def table(self, field: int) -> _Table | None:
        place = self.at(field)
        return None if place is None else _Table(self.data, place + _number("<I", self.data, place))

    def vector(self, field: int) -> tuple[int, int]:
        """Where its items begin, and their number."""
        place = self.at(field)
        if place is None:
            return 0, 0
        place += _number("<I", self.data, place)
        return place + 4, _number("<I", self.data, place)


def _number(kind: str, data: Data, place: int) -> int:
    if not 0 <= place < len(data):
        raise struct.error("outside the file")
    return struct.unpack_from(kind, data, place)[0]  # type: ignore[no-any-return]


def begins_stream(head: bytes) -> bool:
    """Whether the bytes are those of an IPC stream: a message of a schema comes first."""
    try:
        message = _message(head, 0)
        return head.startswith(CONTINUATION) and message is not None and message.kind == _SCHEMA
    except struct.error:
        return False


def stream_claims(data: Data) -> Iterator[Claim | None]:
    """One for each batch of a stream; None at last if the end is marked, which it need not be.

    Refusal when damaged, or when something follows the end, which would be lost.
    """
    place = 0
    try:
        while place < len(data):
            message = _message(data, place)
            if message is None:
                _require_end(data, place)
                yield None
                return
            if message.end > len(data):
                raise _cut_off()
            yield from message.claims()
            place = message.end
    except struct.error as error:
        raise _cut_off() from error


def file_claims(data: Data) -> Iterator[Claim | None]:
    """One for each batch that the footer of a file lists. Refusal when damaged."""
    end = len(data) - len(FILE_MAGIC) - 4
    if bytes(data[-len(FILE_MAGIC) :]) != FILE_MAGIC or end < 0:
        raise damaged("The file begins like Arrow IPC but has no footer: it is cut off.", _ADVICE)
    try:
        start = end - _number("<i", data, end)
        footer = _Table(data, start + _number("<I", data, start))
        for field in (2, 3):  # dictionaries, record batches
            first, count = footer.vector(field)
            for block in range(count):
                message = _message(data, _number("<q", data, first + block * _FOOTER_BLOCK_BYTES))
                if message is not None:
                    yield from message.claims()
    except struct.error as error:
        raise damaged("The footer of this Arrow file can not be read.", _ADVICE) from error


@dataclass(frozen=True, slots=True)
class _Message:
    kind: int
    header: _Table
    body: int
    end: int

    def claims(self) -> Iterator[Claim]:
        if self.kind == _RECORD_BATCH:
            yield self._claim(self.header, rows=self.header.number("<q", 0))
        if self.kind == _DICTIONARY_BATCH and (values := self.header.table(1)):
            yield self._claim(values, rows=0)

    def _claim(self, batch: _Table, rows: int) -> Claim:
        if rows < 0 or self.end < self.body:
            raise damaged("A batch of this Arrow file claims a negative size.", _ADVICE)
        if batch.at(3) is None:  # not compressed
            return Claim(rows, self.end - self.body)
        first, count = batch.vector(2)
        return Claim(rows, sum(self._decoded_bytes(batch.data, first + 16 * place) for place in range(count)))

    def _decoded_bytes(self, data: Data, buffer: int) -> int:
        offset, length = _number("<q", data, buffer), _number("<q", data, buffer + 8)
        if not length:
            return 0
        size = _number("<q", data, self.body + offset)
        return length if size < 0 else size  # -1 says that it is not compressed


def _message(data: Data, place: int) -> _Message | None:
    """The message at ``place``; None for the mark of the end."""
    size = _number("<i", data, place)
    if size == -1:
        place += 4
        size = _number("<i", data, place)
    place += 4
    if not size:
        return None
    message = _Table(data, place + _number("<I", data, place))
    header = message.table(2)
    if header is None or size < 0:
        raise struct.error("no header")
    body = place + size
    return _Message(message.number("<B", 1), header, body, body + message.number("<q", 3))


def _require_end(data: Data, place: int) -> None:
    if place + 8 < len(data):
        raise damaged(
            f"The Arrow stream ends at byte {place + 8:,} and {len(data) - place - 8:,} bytes follow, "
            "perhaps of another stream.",
            "Write all batches to one stream, close the writer, upload the file and register it.",
        )


def _cut_off() -> Exception:
    return damaged("The Arrow stream is cut off or damaged.", _ADVICE)
