"""What S3 tells EventBridge of an object lacks its version: tell it as S3 does."""

from __future__ import annotations

import json
from contextvars import ContextVar
from typing import Any

from ministack.services import eventbridge, s3

_version: ContextVar[str | None] = ContextVar("version", default=None)


def mend() -> None:
    fire, dispatch = s3._fire_s3_event, eventbridge._dispatch_event

    def fired(*arguments: Any, version_id: str | None = None, **more: Any) -> None:
        outside = _version.set(version_id)
        try:
            fire(*arguments, version_id=version_id, **more)
        finally:
            _version.reset(outside)

    def dispatched(event: dict[str, Any], *arguments: Any, **more: Any) -> Any:
        version_id = _version.get()
        if event.get("Source") == "aws.s3" and version_id not in (None, "", "null"):
            detail = json.loads(event["Detail"])
            detail["object"]["version-id"] = version_id
            event = {**event, "Detail": json.dumps(detail)}
        return dispatch(event, *arguments, **more)

    s3._fire_s3_event, eventbridge._dispatch_event = fired, dispatched
