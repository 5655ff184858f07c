"""What a traced function sends to X-Ray, read where X-Ray's daemon would: how the call ended, and of nobody's data."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
TRACE = "1-67891233-abcdef012345678912345678"

# The function as Lambda calls it, refused at the door: no store is asked.
CALL = """
import json, sys
from lambdas.list_artifacts.handler import handler
class Context:
    function_name = memory_limit_in_mb = invoked_function_arn = aws_request_id = "one"
    def get_remaining_time_in_millis(self):
        return 30_000
handler(json.loads(sys.argv[1]), Context())
"""


def traced_call(body: dict[str, Any], **more: str) -> list[dict[str, Any]]:
    """The segments that the daemon receives of one call of list_artifacts."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as daemon:
        daemon.bind(("127.0.0.1", 0))
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "shared")]),
            "AWS_XRAY_DAEMON_ADDRESS": f"127.0.0.1:{daemon.getsockname()[1]}",
            "LAMBDA_TASK_ROOT": "/var/task",
            "_X_AMZN_TRACE_ID": f"Root={TRACE};Parent=53995c3f42cd8ad8;Sampled=1",
            "SESSION_DATASETS_STACK": "stack",
            "SESSION_DATASETS_BUCKET": "bucket",
            "SESSION_DATASETS_TABLE": "table",
            "SESSION_DATASETS_SIGNING_KEY": "key",
            "SESSION_DATASETS_CALLER_ROLE": "arn:aws:iam::000000000000:role/caller",
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "testing",
            "AWS_SECRET_ACCESS_KEY": "testing",
            **more,
        }
        command = [sys.executable, "-c", CALL, json.dumps(body)]
        subprocess.run(command, env=environment, cwd=ROOT, check=True, capture_output=True, text=True)
        # What the process sent lies in the socket by now.
        daemon.setblocking(False)
        segments = []
        while True:
            try:
                segments.append(json.loads(daemon.recv(65_536).split(b"\n", 1)[1]))
            except BlockingIOError:
                return segments


@pytest.fixture(scope="module")
def segment() -> dict[str, Any]:
    """Of a call that names an owner and a token, as a stranger's might."""
    (one,) = traced_call({"v": 2, "token": "secret-token", "owner": "acme", "correlation_id": "trace-1"})
    return one


def test_a_call_is_one_subsegment_of_its_trace(segment: dict[str, Any]) -> None:
    assert (segment["trace_id"], segment["name"]) == (TRACE, "## handler")


def test_a_trace_is_found_by_outcome_correlation_id_and_service(segment: dict[str, Any]) -> None:
    told = segment["annotations"]
    assert (told["code"], told["correlation_id"], told["Service"]) == (
        "unsupported-version",
        "trace-1",
        "list_artifacts",
    )


def test_a_trace_names_neither_owner_nor_token(segment: dict[str, Any]) -> None:
    assert "acme" not in json.dumps(segment)
    assert "secret-token" not in json.dumps(segment)


def test_an_answer_is_not_captured(segment: dict[str, Any]) -> None:
    assert "metadata" not in segment


def test_a_function_that_is_not_traced_sends_nothing() -> None:
    assert traced_call({"v": 2}, POWERTOOLS_TRACE_DISABLED="true") == []
