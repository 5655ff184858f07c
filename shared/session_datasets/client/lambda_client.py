"""The client of the Lambda API: how it finds its region, how long it waits, and what it does not log."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING, Any

from session_datasets.client.deadline import seconds_of_a_request

if TYPE_CHECKING:
    from botocore.client import BaseClient

# Longer than the longest function may run (900 s for a registration), so the client never hangs up first.
ANSWER_SECONDS = 930
_CONNECT_SECONDS = 5


def lambda_client() -> BaseClient:
    """Raises what botocore raises for an environment that it can not work in; ValueError for a broken endpoint."""
    # Imported late: a node that only works in process never pays for boto3.
    import boto3
    from botocore.config import Config

    config = Config(
        connect_timeout=_CONNECT_SECONDS,
        read_timeout=ANSWER_SECONDS,
        # A registration may be silent for minutes, and NAT gateways drop a connection after 350 s of silence. How
        # soon the first probe goes out is the kernel's to say (two hours, if nobody changed it).
        tcp_keepalive=True,
        retries={"total_max_attempts": 1},
    )
    _silence_bodies()
    client = boto3.session.Session(region_name=_region()).client("lambda", config=config)
    client.meta.events.register("before-send.lambda.Invoke", _in_the_callers_time)
    return client


def _in_the_callers_time(request: Any, **_: Any) -> None:
    request.context["read_timeout"] = seconds_of_a_request(ANSWER_SECONDS)


def _region() -> str | None:
    """boto3 reads only the second of these; every other SDK, and the Lambda and ECS runtimes, speak of the first."""
    return os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or None


class _WithoutInvokeBodies(logging.Filter):
    """botocore logs every request at DEBUG; the body of an invocation holds the access token."""

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(_without_body(value) for value in record.args)
        return True


def _without_body(value: object) -> object:
    if isinstance(value, dict) and str(value.get("url_path", "")).endswith("/invocations") and "body" in value:
        return {**value, "body": "<not logged>"}
    return value


_FILTER = _WithoutInvokeBodies()


def _silence_bodies() -> None:
    logging.getLogger("botocore.endpoint").addFilter(_FILTER)
