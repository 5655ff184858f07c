"""The Lambda Runtime API (version 2018-06-01) for one function process, on a loopback port of its own."""

from __future__ import annotations

import json
import queue
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from localstack_host.events import Answered, Event, InitFailed, Invocation, Ready

PREFIX = "/2018-06-01/runtime/"
ACCEPTED = json.dumps({"status": "OK"}).encode()
CLOSE_POLL_SECONDS = 0.05


class RuntimeApi:
    """Hands invocations to the runtime and puts what the runtime says on `events`."""

    def __init__(self, events: queue.Queue[Event]) -> None:
        self.events = events
        self._pending: queue.Queue[Invocation | None] = queue.Queue()
        self._server = _Server(self)
        threading.Thread(target=self._server.serve_forever, args=(CLOSE_POLL_SECONDS,), daemon=True).start()

    @property
    def address(self) -> str:
        """``host:port``, the value of AWS_LAMBDA_RUNTIME_API."""
        return f"127.0.0.1:{self._server.server_port}"

    def offer(self, invocation: Invocation) -> None:
        """Give the runtime its next invocation."""
        self._pending.put(invocation)

    def next(self) -> Invocation | None:
        """Wait for an invocation; None when the interface is closed."""
        self.events.put(Ready())
        return self._pending.get()

    def close(self) -> None:
        """Release a waiting runtime and stop listening."""
        self._pending.put(None)
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    # A runtime may be killed in the middle of a request; its thread must not hold up closing.
    block_on_close = False

    def __init__(self, api: RuntimeApi) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.api = api


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def handle(self) -> None:
        try:
            super().handle()
        except ConnectionError:
            # The process was killed between two requests; its end is reported by whoever watches it.
            self.close_connection = True

    def do_GET(self) -> None:
        if self.path != f"{PREFIX}invocation/next":
            return self._reply(404)
        invocation = self.server.api.next()
        if invocation is None:
            self.close_connection = True
            return self._reply(410)
        headers = {
            "Content-Type": "application/json",
            "Lambda-Runtime-Aws-Request-Id": invocation.request_id,
            "Lambda-Runtime-Invoked-Function-Arn": invocation.function_arn,
            "Lambda-Runtime-Trace-Id": invocation.trace_id,
            "Lambda-Runtime-Deadline-Ms": str(round(invocation.deadline * 1000)),
        }
        return self._reply(200, invocation.payload, headers)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        event = _event(self.path.removeprefix(PREFIX).split("/"), body)
        if event is None:
            return self._reply(404)
        # Acknowledged first: the caller of the function may end this process as soon as it has the answer.
        self._reply(202, ACCEPTED)
        return self.server.api.events.put(event)

    def log_message(self, *_: object) -> None:
        """Requests of the runtime are no news."""

    def _reply(self, status: int, body: bytes = b"", headers: dict[str, str] | None = None) -> None:
        try:
            self.send_response(status)
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except ConnectionError:
            # The process was killed while it waited; its end is reported by whoever watches it.
            self.close_connection = True


def _event(route: list[str], body: bytes) -> Event | None:
    match route:
        case ["init", "error"]:
            return InitFailed(body)
        case ["invocation", request_id, "response"]:
            return Answered(request_id, body, failed=False)
        case ["invocation", request_id, "error"]:
            return Answered(request_id, body, failed=True)
    return None
