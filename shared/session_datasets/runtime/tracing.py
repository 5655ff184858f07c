"""X-Ray, where the deployment asks for it: the SDK takes longer to import than a page to read."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from session_datasets.domain.correlation import is_correlation_id
from session_datasets.domain.names import Verb

Handle = Callable[[Any, Any], dict[str, Any]]


def traced(verb: Verb) -> Callable[[Handle], Handle]:
    """Makes a handler that is traced, or leaves it as it is where Powertools would not trace either."""
    if "LAMBDA_TASK_ROOT" not in os.environ or os.environ.get("POWERTOOLS_TRACE_DISABLED") == "true":
        return lambda handle: handle
    from aws_lambda_powertools import Tracer

    # Requests to the stores are not traced one by one: their parameters are keys, and keys name owners.
    tracer = Tracer(service=verb.value, auto_patch=False)

    def decorate(handle: Handle) -> Handle:
        # The subsegment bears this function's name.
        def handler(event: Any, context: Any) -> dict[str, Any]:
            answered = handle(event, context)
            for key, value in told_of(event, answered).items():
                tracer.put_annotation(key, value)
            return answered

        # Neither the answer nor an error's text is captured: answers hold rows, tokens and presigned URLs.
        decorated: Handle = tracer.capture_lambda_handler(handler, capture_response=False, capture_error=False)
        return decorated

    return decorate


def told_of(event: Any, answered: dict[str, Any]) -> dict[str, str]:
    """What a trace is found by: how the call ended, and its correlation id. Neither owner nor session: traces are open
    to more people than logs, cannot be deleted, and the log has both under the trace's id."""
    told = {"code": answered["problem"]["code"] if "problem" in answered else "answered"}
    given = event.get("correlation_id") if isinstance(event, dict) else None
    if is_correlation_id(given):
        told["correlation_id"] = str(given)
    return told
