"""What a body says of its caller. Nobody listens to it; that somebody tried is for the log and a metric."""

from __future__ import annotations

from typing import Any

from session_datasets.domain.scope import Caller

_SCOPES = ("owner", "session_id", "conversation_id", "run_id")


def claimed_elsewhere(body: dict[str, Any], caller: Caller) -> list[str]:
    """Names of the fields that name another scope than the caller's; mostly none, for no verb has such fields."""
    claimed = [name for name in _SCOPES if name in body and body[name] != getattr(caller, name)]
    reference = body.get("reference")
    key = reference.get("key") if isinstance(reference, dict) else body.get("key")
    if isinstance(key, str) and not key.startswith(f"{caller.owner}/"):
        claimed.append("key" if "key" in body else "reference.key")
    return claimed
