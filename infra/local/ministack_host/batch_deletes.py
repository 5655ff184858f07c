"""The first key of DeleteObjects is asked about as a plain delete: where it names a version, ask about that."""

from __future__ import annotations

from typing import Any

from ministack.core import iam_actions as actions


def mend() -> None:
    action_of = actions.extract_iam_action

    def extracted(service: str, method: str, path: str, headers: Any, body: bytes, query: Any, **more: Any) -> Any:
        action = action_of(service, method, path, headers, body, query, **more)
        if service != "s3" or action != "s3:DeleteObject" or method != "POST" or "delete" not in query:
            return action
        targets = actions._s3_batch_delete_targets("", body)
        return "s3:DeleteObjectVersion" if targets and targets[0][1] else action

    actions.extract_iam_action = extracted
