"""GETs of byte ranges over connections that are kept, with no more around them than a small answer deserves.

An HTTP library spends more processor time on one range than decoding the rows in it takes: it parses the URL, merges
headers, takes the answer's headers for a mail's. What is asked here is always the same, and only one kind of answer is
taken: 206 with the length that was asked for. Anything else is told as None, for somebody who knows more of HTTP.
"""

from __future__ import annotations

import ssl
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from select import POLLIN, poll
from typing import Any
from urllib.parse import urlsplit

from session_datasets.storage.deadline import CONNECT_SECONDS, read_seconds

# What idles longer may have been closed without a word; a new connection costs two round trips.
_IDLE_SECONDS_MAX = 60
# As many idle connections to one host as boto3 keeps.
_CONNECTIONS = 10
_PARTIAL_CONTENT = b"206"
# What S3 sends is some ten lines of a few hundred bytes at the most.
_LINE_BYTES_MAX = 16_384
_LINES_MAX = 100


class RangeConnections:
    """For the threads of one process. ``trusted`` makes what TLS connections are checked with, at the first of them."""

    def __init__(self, trusted: Callable[[], ssl.SSLContext]) -> None:
        self._trusted = trusted
        self._idle: defaultdict[tuple[str, str], list[_Connection]] = defaultdict(list)

    @cached_property
    def _context(self) -> ssl.SSLContext:
        return self._trusted()

    def get(self, url: str, first: int, last: int) -> bytes | None:
        """The bytes from ``first`` to ``last``, both included; None if the answer is anything else, or lost.

        What is lost on a kept connection is asked once more on a new one: S3 closes those that nobody uses for a
        while, and a function that slept meanwhile only learns of it by asking.
        """
        scheme, host, path, query, _ = urlsplit(url)
        idle = self._idle[scheme, host]
        wanted = _Wanted(f"{path}?{query}", first, last)
        if (kept := _alive(idle)) is not None:
            with suppress(_Lost):
                return _answer(kept, wanted, idle)
        with suppress(_Lost, OSError, HTTPException):
            return _answer(self._opened(scheme, host), wanted, idle)
        return None

    def _opened(self, scheme: str, host: str) -> _Connection:
        if scheme == "https":
            return _Connection(host, HTTPSConnection(host, timeout=CONNECT_SECONDS, context=self._context))
        return _Connection(host, HTTPConnection(host, timeout=CONNECT_SECONDS))


@dataclass(frozen=True, slots=True)
class _Wanted:
    target: str
    first: int
    last: int


class _Lost(Exception):
    """The connection ended before its answer did."""


class _Connection:
    """``lasts`` after an answer that another may follow."""

    def __init__(self, host: str, opening: HTTPConnection) -> None:
        opening.connect()
        self.lasts = True
        self.used_at = time.time()
        self._host = host
        self._socket: Any = opening.sock
        self._received = self._socket.makefile("rb")
        # Readable while nothing was asked means that the other side has closed it.
        self._closed = poll()
        self._closed.register(self._socket, POLLIN)

    def is_good(self) -> bool:
        # By the time of day, which goes on while a function sleeps.
        return 0 <= time.time() - self.used_at <= _IDLE_SECONDS_MAX and not self._closed.poll(0)

    def close(self) -> None:
        self._received.close()
        self._socket.close()

    def get(self, wanted: _Wanted) -> bytes | None:
        """OSError or ValueError when the connection fails or what comes is no HTTP, OutOfTime when nothing may be asked
        any more; to be closed after None."""
        asked = (
            f"GET {wanted.target} HTTP/1.1\r\nHost: {self._host}\r\nRange: bytes={wanted.first}-{wanted.last}\r\n"
            "Accept-Encoding: identity\r\n\r\n"
        )
        self._socket.settimeout(read_seconds())
        self._socket.sendall(asked.encode("ascii"))
        length = wanted.last - wanted.first + 1
        if not self._begins_as_asked(length):
            return None
        body: bytes = self._received.read(length)
        if len(body) < length:
            raise ConnectionResetError("the connection ended in the body")
        self.used_at = time.time()
        return body

    def _begins_as_asked(self, length: int) -> bool:
        """Whether the answer's head promises ``length`` bytes of the object."""
        version, _, status = self._line().partition(b" ")
        self.lasts = version == b"HTTP/1.1"
        is_asked = version.startswith(b"HTTP/1.") and status.startswith(_PARTIAL_CONTENT)
        promised = None
        for _ in range(_LINES_MAX):
            name, _, value = self._line().partition(b":")
            if not name:
                return is_asked and promised == length
            name, value = name.lower(), value.strip()
            if name == b"content-length":
                promised = int(value)
            elif name == b"transfer-encoding":
                is_asked = False
            elif name == b"connection":
                self.lasts = value.lower() == b"keep-alive"
        return False

    def _line(self) -> bytes:
        """Empty at the end of the head. ValueError for what is no line."""
        line: bytes = self._received.readline(_LINE_BYTES_MAX)
        if not line:
            raise ConnectionResetError("the connection ended in the head")
        if not line.endswith(b"\n"):
            raise ValueError("what comes is no HTTP")
        return line.rstrip(b"\r\n")


def _answer(connection: _Connection, wanted: _Wanted, idle: list[_Connection]) -> bytes | None:
    """The body, and the connection among the ``idle`` ones if another answer may follow. _Lost if it ended before."""
    body = None
    try:
        body = connection.get(wanted)
    except (TimeoutError, ValueError):  # whoever let us wait once is not asked to do so again
        pass
    except OSError as error:
        raise _Lost from error
    finally:
        if body is None or not connection.lasts or len(idle) >= _CONNECTIONS:
            connection.close()
        else:
            idle.append(connection)
    return body


def _alive(idle: list[_Connection]) -> _Connection | None:
    while idle:
        try:
            connection = idle.pop()
        except IndexError:  # another thread took it
            return None
        if connection.is_good():
            return connection
        connection.close()
    return None
