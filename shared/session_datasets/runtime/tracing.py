"""X-Ray, where the deployment asks for it: the SDK takes longer to import than a page to read."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from session_datasets.domain.names import Verb

Handle = Callable[[Any, Any], dict[str, Any]]


def traced(verb: Verb) -> Callable[[Handle], Handle]:
    """Makes a handler that is traced, or leaves it as it is where Powertools would not trace either."""
    if "LAMBDA_TASK_ROOT" not in os.environ or os.environ.get("POWERTOOLS_TRACE_DISABLED") == "true":
        return lambda handle: handle
    from aws_lambda_powertools import Tracer

    tracer = Tracer(service=verb.value)
    # Neither the answer nor an error's text is captured: answers hold rows, tokens and presigned URLs.
    decorated: Callable[[Handle], Handle] = tracer.capture_lambda_handler(capture_response=False, capture_error=False)
    return decorated
