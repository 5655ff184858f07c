"""Whoever reads a table's stream is asked about everything: ask about the stream that a request names, as AWS does."""

from __future__ import annotations

import json
from typing import Any

from ministack.core import iam_actions as actions
from ministack.services import dynamodb_streams


def mend() -> None:
    arn_of = actions.extract_resource_arn

    def extracted(service: str, method: str, path: str, headers: Any, body: bytes, *more: Any) -> str:
        named = _stream(body) if service == "dynamodbstreams" else None
        return named or arn_of(service, method, path, headers, body, *more)

    actions.extract_resource_arn = extracted


def _stream(body: bytes) -> str | None:
    """None for a request that names no stream, and so is about all of them."""
    try:
        request = json.loads(body or b"{}")
    except ValueError:
        return None
    if not isinstance(request, dict):
        return None
    named: Any = request.get("StreamArn") or _of_iterator(request.get("ShardIterator"))
    return named if isinstance(named, str) else None


def _of_iterator(iterator: Any) -> Any:
    decoded = dynamodb_streams._decode_iterator(iterator) if isinstance(iterator, str) else None
    return decoded.get("arn") if decoded else None
