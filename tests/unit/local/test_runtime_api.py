"""The Lambda Runtime API that LocalStack's functions talk to when they run in a child process."""

from __future__ import annotations

import http.client
import queue
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[3] / "infra" / "local" / "localstack_host" / "src"
sys.path.append(str(SOURCES))

from localstack_host.events import Answered, Event, InitFailed, Invocation, Ready  # noqa: E402
from localstack_host.function_process import function_environment  # noqa: E402
from localstack_host.runtime_api import PREFIX, RuntimeApi  # noqa: E402

INVOCATION = Invocation("id-1", "arn:aws:lambda:x:function:f", "Root=1", b'{"a": 1}', deadline=1_700_000_000.5)


@pytest.fixture
def api() -> Iterator[RuntimeApi]:
    events: queue.Queue[Event] = queue.Queue()
    opened = RuntimeApi(events)
    yield opened
    opened.close()


def _connection(api: RuntimeApi) -> http.client.HTTPConnection:
    return http.client.HTTPConnection(api.address, timeout=30)


def _post(api: RuntimeApi, path: str, body: bytes) -> int:
    connection = _connection(api)
    connection.request("POST", PREFIX + path, body)
    return connection.getresponse().status


def test_the_runtime_gets_the_payload_and_what_the_context_is_made_of(api: RuntimeApi) -> None:
    api.offer(INVOCATION)
    connection = _connection(api)
    connection.request("GET", f"{PREFIX}invocation/next")
    answer = connection.getresponse()
    assert answer.read() == b'{"a": 1}'
    assert answer.headers["Lambda-Runtime-Aws-Request-Id"] == "id-1"
    assert answer.headers["Lambda-Runtime-Invoked-Function-Arn"] == "arn:aws:lambda:x:function:f"
    assert answer.headers["Lambda-Runtime-Trace-Id"] == "Root=1"
    assert answer.headers["Lambda-Runtime-Deadline-Ms"] == "1700000000500"


def test_asking_for_an_invocation_says_that_the_handler_is_ready(api: RuntimeApi) -> None:
    connection = _connection(api)
    connection.request("GET", f"{PREFIX}invocation/next")
    assert api.events.get(timeout=30) == Ready()


@pytest.mark.parametrize(
    ("path", "event"),
    [
        ("invocation/id-1/response", Answered("id-1", b"[]", failed=False)),
        ("invocation/id-1/error", Answered("id-1", b"[]", failed=True)),
        ("init/error", InitFailed(b"[]")),
    ],
)
def test_what_the_runtime_reports_becomes_an_event(api: RuntimeApi, path: str, event: Event) -> None:
    assert _post(api, path, b"[]") == 202
    assert api.events.get(timeout=30) == event


def test_an_unknown_path_is_not_found(api: RuntimeApi) -> None:
    assert _post(api, "extension/register", b"") == 404


def test_a_runtime_that_vanished_while_it_waited_does_no_harm(
    api: RuntimeApi, capfd: pytest.CaptureFixture[str]
) -> None:
    host, port = api.address.split(":")
    vanishing = socket.create_connection((host, int(port)))
    vanishing.sendall(f"GET {PREFIX}invocation/next HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    assert api.events.get(timeout=30) == Ready()
    # A reset, as after a kill: the next write fails at once.
    vanishing.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
    vanishing.close()
    api.offer(INVOCATION)
    assert _post(api, "invocation/id-2/response", b"1") == 202
    assert api.events.get(timeout=30) == Answered("id-2", b"1", failed=False)
    time.sleep(0.1)
    assert "Traceback" not in capfd.readouterr().err


def test_a_runtime_that_vanished_between_two_requests_does_no_harm(
    api: RuntimeApi, capfd: pytest.CaptureFixture[str]
) -> None:
    host, port = api.address.split(":")
    vanishing = socket.create_connection((host, int(port)))
    vanishing.sendall(b"GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n")
    assert vanishing.recv(4096).startswith(b"HTTP/1.1 404")
    vanishing.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
    vanishing.close()
    time.sleep(0.1)
    assert "Traceback" not in capfd.readouterr().err


def test_closing_releases_a_runtime_that_waits(api: RuntimeApi) -> None:
    connection = _connection(api)
    connection.request("GET", f"{PREFIX}invocation/next")
    api.events.get(timeout=30)
    api.close()
    assert connection.getresponse().status == 410


def test_a_function_sees_its_own_variables_and_none_of_the_emulators() -> None:
    environment = function_environment(
        {"PATH": "/bin", "LOCALSTACK_API_KEY": "secret"}, {"TABLE": "t", "SIZE": 128}, Path("/code"), "127.0.0.1:9"
    )
    assert environment["PATH"] == "/bin"
    assert environment["TABLE"] == "t"
    assert environment["SIZE"] == "128"
    assert environment["LAMBDA_TASK_ROOT"] == "/code"
    assert environment["AWS_LAMBDA_RUNTIME_API"] == "127.0.0.1:9"
    assert "LOCALSTACK_API_KEY" not in environment
