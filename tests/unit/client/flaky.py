"""A proxy before the storage that fails on demand, and remembers what passed through it on presigned URLs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import urllib3

_HOP_BY_HOP = {"connection", "transfer-encoding", "content-length", "server", "date"}


@dataclass(frozen=True)
class Passed:
    """One request on a presigned URL. ``sent_back`` counts the body bytes that reached the client."""

    method: str
    query: dict[str, list[str]]
    headers: dict[str, str]
    body: bytes
    sent_back: int

    @property
    def part(self) -> str | None:
        return self.query.get("partNumber", [None])[0]


@dataclass(frozen=True)
class Fault:
    """What to do instead of answering well, for the next ``times`` presigned requests that ``when`` picks."""

    when: Callable[[str, dict[str, list[str]]], bool] = lambda method, query: True
    times: int = 1
    refuse: tuple[int, str, str] | None = None  # status, code, message; the storage is not asked
    drop: bool = False  # the connection is closed; the storage is not asked
    lose_answer: bool = False  # the storage has done it, its answer never arrives
    cut_after: int | None = None  # bytes of the answer's body
    change: Callable[[bytes], bytes] | None = None  # of the answer's body
    without_range: bool = False  # as a storage that ignores Range


@dataclass
class FlakyStorage:
    """``endpoint`` is the storage's address through this proxy."""

    upstream: str
    faults: list[Fault] = field(default_factory=list)
    passed: list[Passed] = field(default_factory=list)
    endpoint: str = ""

    def downloads(self) -> list[Passed]:
        return [each for each in self.passed if each.method == "GET"]

    def uploads(self) -> list[Passed]:
        return [each for each in self.passed if each.method == "PUT"]

    def next_fault(self, method: str, query: dict[str, list[str]]) -> Fault:
        for place, fault in enumerate(self.faults):
            if fault.when(method, query):
                self.faults[place : place + 1] = [Fault(**{**vars(fault), "times": fault.times - 1})]
                if self.faults[place].times == 0:
                    del self.faults[place]
                return fault
        return Fault()


@contextmanager
def flaky_storage(upstream: str) -> Iterator[FlakyStorage]:
    storage = FlakyStorage(upstream)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(storage))
    storage.endpoint = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield storage
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@dataclass(frozen=True)
class _Reply:
    """``length`` is what the headers promise; ``data`` may be less."""

    status: int
    headers: dict[str, str]
    data: bytes
    length: int


def _handler(storage: FlakyStorage) -> type[BaseHTTPRequestHandler]:
    pool = urllib3.PoolManager(maxsize=8, retries=False)
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None: ...

        def handle_any(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            query = parse_qs(urlsplit(self.path).query, keep_blank_values=True)
            signed = "X-Amz-Signature" in query
            with lock:
                fault = storage.next_fault(self.command, query) if signed else Fault()
            reply = self._reply(fault, body)
            if signed:
                # Before it is sent: whoever has the answer finds it here.
                headers = {name.lower(): value for name, value in self.headers.items()}
                sent_back = len(reply.data) if reply else 0
                storage.passed.append(Passed(self.command, query, headers, body, sent_back))
            if reply:
                self._send(reply)
            else:
                self.close_connection = True

        do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = handle_any

        def _reply(self, fault: Fault, body: bytes) -> _Reply | None:
            if fault.drop:
                return None
            if fault.refuse:
                status, code, message = fault.refuse
                text = f"<Error><Code>{code}</Code><Message>{message}</Message></Error>".encode()
                return _Reply(status, {"Content-Type": "application/xml"}, text, len(text))
            headers = {name: value for name, value in self.headers.items() if name.lower() not in _HOP_BY_HOP}
            if fault.without_range:
                headers.pop("Range", None)
            reply = pool.request(self.command, storage.upstream + self.path, body=body, headers=headers, redirect=False)
            if fault.lose_answer:
                return None
            data = fault.change(reply.data) if fault.change else reply.data
            length = int(reply.headers.get("Content-Length") or 0) if self.command == "HEAD" else len(data)
            kept = {name: value for name, value in reply.headers.items() if name.lower() not in _HOP_BY_HOP}
            return _Reply(reply.status, kept, data if fault.cut_after is None else data[: fault.cut_after], length)

        def _send(self, reply: _Reply) -> None:
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(reply.length))
            self.end_headers()
            self.wfile.write(reply.data)
            if len(reply.data) < reply.length and self.command != "HEAD":
                self.close_connection = True

    return Handler
