"""Every failure is also an event for the operator: one record of the standard log, with names to count by."""

from __future__ import annotations

import logging
from typing import Any

from session_datasets.feedback.model import UNEXPECTED, Family, Feedback
from session_datasets.feedback.words import traceback_of

# Configured by the application, as any library's; a metric filter counts by message, or by ``feedback.code``.
LOGGER = logging.getLogger("session_datasets.feedback")

_LEVELS = {Family.SETUP: logging.ERROR, Family.FAILED: logging.ERROR}


def tell(feedback: Feedback, error: BaseException) -> None:
    """The message begins with ``feedback.<family>``; the members stand in the record's ``feedback``. Never raises."""
    level = _LEVELS.get(feedback.family, logging.WARNING)
    try:
        if not LOGGER.isEnabledFor(level):
            return
        members: dict[str, Any] = feedback.structured()
        if feedback.code == UNEXPECTED:
            members["traceback"] = traceback_of(error)
        told = (feedback.family.value, feedback.what, feedback.error_type, feedback.code, feedback.detail)
        LOGGER.log(level, "feedback.%s %s: %s (%s): %s", *told, extra={"feedback": members})
    except Exception:
        # A log that fails must not take the answer with it.
        return
