"""The reader of a binary format in a process of its own, so that what a file does to it ends there.

A forged file may crash Arrow's C++ or make it ask for all memory there is. The reader runs in a forked child with a
bound on its memory and hands its rows on through a pipe; whatever becomes of it, the parent answers a problem and
goes on. Measured: 12 ms to fork, 0.5 ms of the parent's time per MB of decoded rows, and reading and laying out then
use two processors.

The pipe carries frames: a byte that says what follows, its length in eight, and JSON or one Arrow message.
"""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import signal
import struct
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from io import FileIO
from pathlib import Path
from typing import Any

import pyarrow as pa

from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.limits import GIB
from session_datasets.domain.profile import Format, JsonValue
from session_datasets.formats.stream import NoTable, TableStream, damaged

# Bytes a reader may take beside what its parent holds: the largest row, page and column chunk of an honest file
# have room in it, and a function run has more than twice as much.
_MEMORY_BYTES_MAX = 3 * GIB // 2
_FRAME = struct.Struct("<cQ")
_SCHEMA, _ROWS, _TOLD, _END, _REFUSAL, _NO_TABLE, _MEMORY, _FAILURE = (bytes([letter]) for letter in b"SRTEXNMF")
# A child that inherits the sending end of another's pipe would hide that other's death.
_ONE_AT_A_TIME = threading.Lock()


@contextmanager
def contained(
    open_stream: Callable[[], TableStream], what: str, memory_bytes_max: int = _MEMORY_BYTES_MAX
) -> Iterator[TableStream]:
    """The stream that ``open_stream`` makes, made and read in a child process. ``what`` is the file, for a sentence.

    Raises, here or from its batches, what the reader raised: Refusal or NoTable; Refusal unreadable-file when the
    reader died, NoTable when it needed more memory than ``memory_bytes_max``.
    """
    with _ONE_AT_A_TIME:
        receiving, sending = os.pipe()
        child = os.fork()
        if not child:
            _be_the_reader(open_stream, receiving, sending, memory_bytes_max)
        os.close(sending)
    try:
        with open(receiving, "rb", buffering=0) as pipe:
            yield _Received(pipe, what, memory_bytes_max).stream()
    finally:
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


class _Received:
    """The parent's end of the pipe, and the stream that comes out of it."""

    def __init__(self, pipe: FileIO, what: str, memory_bytes_max: int) -> None:
        self._pipe = pipe
        self._what = what
        self._memory_bytes_max = memory_bytes_max
        self._remarks: list[str] = []
        self._heard = 0
        self._rules: list[str] = []
        self._reading: dict[str, JsonValue] = {}

    def stream(self) -> TableStream:
        told = json.loads(self._expect(_TOLD).to_pybytes())
        self._hear(told)
        schema = pa.ipc.read_schema(self._expect(_SCHEMA))
        format_ = Format(told["format"])
        return TableStream(format_, schema, self._batches(schema), self._remarks, self._rules, self._reading)

    def _hear(self, told: dict[str, Any]) -> None:
        self._remarks += told["remarks"][self._heard :]  # beside what is added here
        self._heard = len(told["remarks"])
        self._rules[:] = told["rules"]
        self._reading.update(told["reading"])

    def _batches(self, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        while True:
            kind, payload = self._next()
            if kind == _END:
                return
            if kind == _ROWS:
                yield pa.ipc.read_record_batch(payload, schema)
            else:
                self._hear(json.loads(payload.to_pybytes()))

    def _expect(self, expected: bytes) -> pa.Buffer:
        kind, payload = self._next()
        if kind != expected:
            raise self._died()
        return payload

    def _next(self) -> tuple[bytes, pa.Buffer]:
        kind, length = _FRAME.unpack(self._read(_FRAME.size))
        payload = self._read(length)
        if kind == _NO_TABLE:
            raise NoTable(payload.to_pybytes().decode())
        if kind == _MEMORY:
            raise NoTable(
                f"Reading this file takes more than {self._memory_bytes_max:,} bytes of memory, too many for its rows "
                "to be paged. It can be listed and loaded."
            )
        if kind == _REFUSAL:
            raise _refusal(json.loads(payload.to_pybytes()))
        if kind == _FAILURE:
            raise RuntimeError(payload.to_pybytes().decode())
        return kind, payload

    def _read(self, length: int) -> pa.Buffer:
        data = pa.allocate_buffer(length)  # Arrow's own, which any thread may let go of
        rest = memoryview(data).cast("B")
        while rest:
            count = self._pipe.readinto(rest)
            if not count:
                raise self._died()
            rest = rest[count:]
        return data

    def _died(self) -> Refusal:
        return damaged(
            f"Reading {self._what} ended the reader: the file is damaged, or claims more than memory holds.",
            "Write the file again with the library it came from, or as CSV or Parquet, then upload and register it.",
        )


def _refusal(problem: dict[str, Any]) -> Refusal:
    code, detail = ProblemCode(problem.pop("code")), problem.pop("detail")
    return Refusal(code, detail, **problem)


def _be_the_reader(open_stream: Callable[[], TableStream], receiving: int, sending: int, memory_bytes_max: int) -> None:
    """The child's whole life; never returns, so nothing of the parent's ends twice."""
    try:
        os.close(receiving)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # where a dying parser prints pages of its stack
        faulthandler.disable()  # which keeps an error stream of its own
        _bound_memory(memory_bytes_max)
        with open(sending, "wb", buffering=0) as pipe:
            _send_all(open_stream, pipe)
    except BaseException:
        os._exit(1)
    os._exit(0)


def _send_all(open_stream: Callable[[], TableStream], pipe: FileIO) -> None:
    try:
        stream = open_stream()
        _send(pipe, _TOLD, _told(stream, format=stream.format.value))
        _send(pipe, _SCHEMA, stream.schema.serialize())
        for batch in stream.batches:
            _send(pipe, _ROWS, batch.serialize())
        _send(pipe, _TOLD, _told(stream))
        _send(pipe, _END, b"")
    except NoTable as answer:
        _send(pipe, _NO_TABLE, answer.note.encode())
    except Refusal as refusal:
        _send(pipe, _REFUSAL, json.dumps(asdict(refusal.problem)).encode())
    except MemoryError:  # Arrow's is one, too
        _send(pipe, _MEMORY, b"")
    except (pa.ArrowException, RecursionError) as error:
        _send(pipe, _REFUSAL, json.dumps(asdict(damaged(_in_our_words(error)).problem)).encode())
    except BrokenPipeError:
        pass  # nobody wants the rest
    except Exception as error:
        _send(pipe, _FAILURE, repr(error).encode())


def _in_our_words(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "A value of the file is nested too deeply."
    return "The file can not be read as a table."


def _told(stream: TableStream, **more: str) -> bytes:
    told = {"remarks": stream.remarks, "rules": stream.rules, "reading": stream.reading, **more}
    return json.dumps(told).encode()


def _send(pipe: FileIO, kind: bytes, payload: bytes | pa.Buffer) -> None:
    rest = memoryview(payload).cast("B")
    pipe.write(_FRAME.pack(kind, len(rest)))
    while rest:
        rest = rest[pipe.write(rest) :]


def _bound_memory(bytes_max: int) -> None:
    """Beyond what this process holds already, which it shares with its parent until one of them writes to it."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        held = _data_bytes()
        resource.setrlimit(resource.RLIMIT_DATA, (held + bytes_max, held + bytes_max))


def _data_bytes() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmData"))
