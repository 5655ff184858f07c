"""A Temporal server of its own for the tests: the dev server's binary, on a free port of the loopback interface."""

from __future__ import annotations

import asyncio
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.message import Message
from temporalio.api.common.v1 import Payload
from temporalio.client import WorkflowHistory
from temporalio.testing import WorkflowEnvironment

BINARY = Path(sysconfig.get_path("scripts")) / "temporal"


@pytest.fixture(scope="session")
def temporal_server() -> Iterator[str]:
    """``host:port``. The server's process ends with the tests, whatever they did."""
    environment = asyncio.run(WorkflowEnvironment.start_local(dev_server_existing_path=str(BINARY)))
    try:
        yield environment.client.service_client.config.target_host
    finally:
        asyncio.run(environment.shutdown())


def payloads_of(history: WorkflowHistory) -> list[Payload]:
    """Every payload of every event, in order."""
    return [payload for event in history.events for payload in _payloads_in(event)]


def _payloads_in(message: Message) -> Iterator[Payload]:
    if isinstance(message, Payload):
        yield message
        return
    for field, value in message.ListFields():
        for each in _messages(field, value):
            yield from _payloads_in(each)


def _messages(field: Any, value: Any) -> list[Message]:
    if isinstance(value, Message):
        return [value]
    if hasattr(value, "values"):
        value = value.values()
    elif isinstance(value, str | bytes | int | float | bool):
        return []
    return [each for each in value if isinstance(each, Message)]
