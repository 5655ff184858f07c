"""The real client of the Lambda API: its region, its waits, and what its debug log does not tell."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from infra.environments import Environment, Local, Production, Sandbox
from session_datasets.client.lambda_client import ANSWER_SECONDS, lambda_client
from session_datasets.client.transport import DeployedTransport
from session_datasets.domain.names import Verb

TOKEN = "the-access-token"
ANSWER = b'{"download": "the-presigned-url"}'


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE", "AWS_ENDPOINT_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/dev/null")


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A Lambda API whose every function answers ANSWER."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Length", str(len(ANSWER)))
            self.end_headers()
            self.wfile.write(ANSWER)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    yield
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.parametrize(
    ("variables", "region"),
    [
        ({"AWS_REGION": "eu-west-1"}, "eu-west-1"),
        ({"AWS_DEFAULT_REGION": "eu-west-2"}, "eu-west-2"),
        ({"AWS_REGION": "eu-west-1", "AWS_DEFAULT_REGION": "eu-west-2"}, "eu-west-1"),
        ({"AWS_REGION": "", "AWS_DEFAULT_REGION": "eu-west-2"}, "eu-west-2"),
    ],
)
def test_the_region_is_that_of_the_sdks(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], region: str
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert lambda_client().meta.region_name == region


def test_it_waits_longer_than_any_function_runs_keeps_connections_alive_and_retries_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    config = lambda_client().meta.config
    assert config.read_timeout == ANSWER_SECONDS
    assert config.tcp_keepalive is True
    assert config.retries["total_max_attempts"] == 1


@pytest.mark.parametrize("environment", [Local(), Sandbox(), Production()], ids=lambda each: each.name)
def test_no_function_is_given_more_time_than_the_client_waits(environment: Environment) -> None:
    assert max(environment.size_of(verb).timeout_seconds for verb in Verb) < ANSWER_SECONDS


@pytest.mark.usefixtures("endpoint")
def test_its_debug_log_tells_of_the_call_but_neither_token_nor_answer(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        DeployedTransport().call(Verb.LOAD_ARTIFACT, {"v": 1, "token": TOKEN})
    assert "/functions/session-datasets-load-artifact/invocations" in caplog.text
    assert TOKEN not in caplog.text
    assert "the-presigned-url" not in caplog.text
