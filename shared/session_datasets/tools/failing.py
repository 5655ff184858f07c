"""Failures as answers: the words of ``session_datasets.feedback``, within an answer's budget."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from session_datasets.domain.quoting import in_lines, legible
from session_datasets.feedback import Failures, Feedback, feedback_of
from session_datasets.tools.answers import ToolAnswer, most_that_fits
from session_datasets.tools.fitting import clipped

# Bytes of the detail that are kept whatever else is said.
_DETAIL_BYTES_MIN = 60
# Bytes to which the other texts are cut when the detail's giving way is not enough.
_NEXT_STEP_BYTES = 160
# What the code implies, and what a model knows.
_IMPLIED = ("what", "family", "error_type")


class Failing:
    """Answers for the failures of one session. Counts calls that fail again, which are told a plainer word."""

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._failures = Failures()

    def answer(self, name: str, error: Exception, submitted: Any) -> ToolAnswer:
        """Within the budget (tokens). The arguments are not told: the model has just written them."""
        feedback = feedback_of(error, what=_what(name), submitted=submitted, failures=self._failures)
        return _within(_legible(replace(feedback, submitted="")), self._budget)

    def succeeded(self, name: str, submitted: Any) -> None:
        self._failures.succeeded(_what(name), submitted)


def told(name: str, error: Exception) -> str:
    """One failure in words, for a framework that takes no more than words."""
    return _text(_legible(feedback_of(error, what=_what(name))))


def _what(name: str) -> str:
    return f"{name} call"


def _legible(feedback: Feedback) -> Feedback:
    """No line of it is what somebody else wrote, as an engine that quotes a name or a cell."""
    return replace(feedback, detail=legible(feedback.detail), next_step=legible(feedback.next_step))


def _sendable(members: dict[str, Any]) -> dict[str, Any]:
    """With a question mark for half a surrogate pair, as in what a model has asked for: nobody can send it as UTF-8."""
    sendable: dict[str, Any] = json.loads(json.dumps(members, ensure_ascii=False).encode("utf-8", "replace"))
    return sendable


def _text(feedback: Feedback) -> str:
    # What may be meant instead, and what would be accepted, is JSON or in quotes already.
    return in_lines(feedback.text().split("\n"))


def _within(feedback: Feedback, budget: int) -> ToolAnswer:
    answer = _with_detail(feedback, budget)
    if answer.tokens <= budget:
        return answer
    step = clipped(feedback.next_step, _NEXT_STEP_BYTES)
    return _with_detail(replace(feedback, next_step=step, did_you_mean=(), retry_with={}), budget)


def _with_detail(feedback: Feedback, budget: int) -> ToolAnswer:
    def of(detail_bytes: int) -> ToolAnswer:
        told = replace(feedback, detail=clipped(feedback.detail, detail_bytes))
        structured = _sendable({name: value for name, value in told.structured().items() if name not in _IMPLIED})
        if structured.get("attempts") == 1:
            del structured["attempts"]
        return ToolAnswer(_text(told), structured, is_error=True)

    # Escaped, a character takes up to six bytes.
    whole = max(_DETAIL_BYTES_MIN, len(feedback.detail.encode()) * 6)
    return most_that_fits(whole, of, budget, least=_DETAIL_BYTES_MIN)
