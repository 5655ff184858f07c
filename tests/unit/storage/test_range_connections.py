"""Ranges over kept connections, against a server that answers what a test tells it, byte by byte."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import takewhile
from threading import Thread
from typing import NoReturn

import pytest

from session_datasets.storage.range_connections import RangeConnections

PLAIN = b"HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 2-5/9\r\nContent-Length: 4\r\n\r\ncdef"
# The server closes the connection instead of answering.
CLOSE = b""


class Server:
    """Answers its requests with ``answers``, one after the other, however many connections they come on."""

    def __init__(self) -> None:
        self.answers: list[bytes] = []
        self.asked: list[bytes] = []
        self.connections = 0
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.host = f"127.0.0.1:{self._socket.getsockname()[1]}"
        self._open: list[socket.socket] = []
        Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        _end(self._socket)
        self._socket.close()
        self.hang_up()

    def hang_up(self) -> None:
        """Closes the connections that are open."""
        for each in self._open:
            _end(each)

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._socket.accept()
                self.connections += 1
                self._open.append(connection)
                Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with suppress(OSError), connection, connection.makefile("rb") as received:
            # At the end of a connection readline answers nothing, and that again and again.
            while head := b"".join(takewhile(lambda line: line not in (b"\r\n", b""), received)):
                self.asked.append(head)
                answer = self.answers.pop(0)
                connection.sendall(answer)
                if answer == CLOSE or not answer.endswith(b"cdef"):
                    return


def _end(each: socket.socket) -> None:
    with suppress(OSError):
        each.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


@pytest.fixture
def connections() -> RangeConnections:
    def unused() -> NoReturn:
        raise AssertionError("no TLS here")

    return RangeConnections(unused)


def got(connections: RangeConnections, server: Server, *answers: bytes) -> bytes | None:
    server.answers += answers
    return connections.get(f"http://{server.host}/bucket/a%20key?versionId=v", 2, 5)


def test_the_request_names_object_host_and_range(connections: RangeConnections, server: Server) -> None:
    assert got(connections, server, PLAIN) == b"cdef"
    assert server.asked == [
        f"GET /bucket/a%20key?versionId=v HTTP/1.1\r\nHost: {server.host}\r\nRange: bytes=2-5\r\n"
        "Accept-Encoding: identity\r\n".encode()
    ]


def test_a_connection_serves_one_range_after_the_other(connections: RangeConnections, server: Server) -> None:
    assert [got(connections, server, PLAIN) for _ in range(3)] == [b"cdef"] * 3
    assert server.connections == 1


def test_a_connection_that_the_server_closed_is_not_used(connections: RangeConnections, server: Server) -> None:
    assert got(connections, server, PLAIN) == b"cdef"
    server.hang_up()
    assert got(connections, server, PLAIN) == b"cdef"
    assert (server.connections, len(server.asked)) == (2, 2)


def test_a_connection_that_ends_when_it_is_used_again_is_replaced_by_a_new_one(
    connections: RangeConnections, server: Server
) -> None:
    assert got(connections, server, PLAIN) == b"cdef"
    assert got(connections, server, CLOSE, PLAIN) == b"cdef"
    assert (server.connections, len(server.asked)) == (2, 3)


def test_a_range_is_asked_twice_at_the_most(connections: RangeConnections, server: Server) -> None:
    assert got(connections, server, PLAIN) == b"cdef"
    assert got(connections, server, CLOSE, CLOSE) is None
    assert len(server.asked) == 3


def test_a_connection_that_idled_for_long_is_not_used(
    connections: RangeConnections, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert got(connections, server, PLAIN) == b"cdef"
    later = time.time() + 61
    monkeypatch.setattr("time.time", lambda: later)
    assert got(connections, server, PLAIN) == b"cdef"
    assert (server.connections, len(server.asked)) == (2, 2)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(PLAIN.replace(b"HTTP/1.1", b"HTTP/1.0"), id="an-older-http"),
        pytest.param(PLAIN.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"), id="to-be-closed"),
    ],
)
def test_a_connection_that_ends_with_its_answer_is_not_used_again(
    connections: RangeConnections, server: Server, answer: bytes
) -> None:
    assert [got(connections, server, answer), got(connections, server, PLAIN)] == [b"cdef"] * 2
    assert server.connections == 2


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(PLAIN.replace(b"206", b"200"), id="the-whole-object"),
        pytest.param(PLAIN.replace(b"206", b"403"), id="refused"),
        pytest.param(PLAIN.replace(b"Length: 4", b"Length: 5"), id="longer-than-asked"),
        pytest.param(PLAIN.replace(b"Length: 4", b"Length: 3"), id="shorter-than-asked"),
        pytest.param(PLAIN.replace(b"Length: 4", b"Length: x"), id="no-length"),
        pytest.param(PLAIN.replace(b"Content-Length: 4", b"Transfer-Encoding: chunked"), id="chunked"),
        pytest.param(PLAIN.removesuffix(b"ef"), id="cut-off-in-the-body"),
        pytest.param(PLAIN[:40], id="cut-off-in-the-head"),
        pytest.param(b"X: y\r\n" * 101 + b"cdef", id="a-head-without-end"),
        pytest.param(b"x" * 20_000, id="no-http"),
        pytest.param(CLOSE, id="nothing"),
    ],
)  # fmt: skip
def test_anything_but_the_range_is_none_and_ends_the_connection(
    connections: RangeConnections, server: Server, answer: bytes
) -> None:
    assert got(connections, server, answer) is None
    assert got(connections, server, PLAIN) == b"cdef"
    assert server.connections == 2


def test_a_host_that_nobody_answers_for_is_none(connections: RangeConnections, server: Server) -> None:
    server.close()
    assert got(connections, server) is None


def test_a_host_that_speaks_no_tls_is_none() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(1_000)
                connection.sendall(PLAIN)

        Thread(target=answer, daemon=True).start()
        url = f"https://127.0.0.1:{listening.getsockname()[1]}/bucket/key?v"
        assert RangeConnections(ssl.create_default_context).get(url, 2, 5) is None
