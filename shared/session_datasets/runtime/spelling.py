"""Answers full of cells as JSON text, made once and fast.

Lambda's runtime spells what a handler answers with Python's own encoder, which takes as long for a large page as to
read it. Bytes, however, it passes on as they are. Only it: what else may run a handler is given the plain answer.
"""

from __future__ import annotations

import sys
from typing import Any

import orjson

# The package that runs handlers in Lambda, and wherever its runtime interface client does.
_RUNTIME = "awslambdaric"


def spelled(answered: dict[str, Any]) -> bytes | dict[str, Any]:
    """The JSON of an answer whose numbers are all finite, for Lambda's runtime; the answer itself for any other."""
    if _RUNTIME not in sys.modules:
        return answered
    try:
        return orjson.dumps(answered)
    except TypeError:  # cells nested deeper than this encoder goes
        return answered


def plain(answered: dict[str, Any]) -> dict[str, Any]:
    """The answer itself: short ones are left to the runtime."""
    return answered
