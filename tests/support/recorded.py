"""What is asked of S3 and DynamoDB, word for word."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from tests.support.moto_cloud import MotoCloud


@dataclass(frozen=True)
class Asked:
    """``operation`` as ``s3.GetObject``; ``words`` is everything that was sent: address, headers and body."""

    operation: str
    words: str


@contextmanager
def recorded(cloud: MotoCloud) -> Iterator[list[Asked]]:
    """The requests that go out while it lasts, in their order; ranges, which go past boto3, among them."""
    found: list[Asked] = []

    def keep(event_name: str, request: Any, **_: Any) -> None:
        body = request.body.decode(errors="replace") if isinstance(request.body, bytes) else str(request.body)
        found.append(Asked(event_name.removeprefix("before-send."), f"{request.url} {request.headers} {body}"))

    straight = cloud.wired.service.derived._gets._connections  # type: ignore[attr-defined]
    asked = straight.get

    def ranged(*arguments: Any) -> Any:
        found.append(Asked("s3.GetObject", repr(arguments)))
        return asked(*arguments)

    events = [client.meta.events for client in (cloud.s3, cloud.dynamodb)]
    for each in events:
        each.register("before-send.*.*", keep)
    try:
        with patch.object(straight, "get", ranged):
            yield found
    finally:
        for each in events:
            each.unregister("before-send.*.*", keep)
