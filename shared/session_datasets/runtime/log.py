"""The log of a function: one JSON document a line, and no secret in what an exception says of itself."""

from __future__ import annotations

import json
from typing import Any

from aws_lambda_powertools import Logger

from session_datasets.domain.names import Verb

# Where an exception's words stand: its text and traceback, the same in parts, and what was added to it.
_WORDS_OF_EXCEPTIONS = ("exception", "stack_trace", "exception_notes")


def log_of(verb: Verb) -> Logger:
    return Logger(service=verb.value, json_serializer=line_of)


def line_of(record: Any) -> str:
    """What we say ourselves holds no secret by construction; what a library says is looked through."""
    redacted = {name: _redacted(record[name]) for name in _WORDS_OF_EXCEPTIONS if name in record}
    return json.dumps({**record, **redacted}, default=str, separators=(",", ":"), ensure_ascii=False)


def _redacted(words: Any) -> Any:
    # Only a failure pays for the patterns.
    from session_datasets.domain.redaction import redact

    if isinstance(words, dict):
        return {name: _redacted(each) for name, each in words.items()}
    if isinstance(words, list | tuple):
        return [_redacted(each) for each in words]
    # An exception itself stands there, too.
    return words if isinstance(words, int) else redact(str(words))
