"""One failure as an answer to a model: as text, and with the same content as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from session_datasets.domain.quoting import quoted

# The code of an exception that is not one of ours, and of which nobody said what it is a case of.
UNEXPECTED = "unexpected"


class Family(StrEnum):
    """Who said no, and when."""

    # Refused before it ran, by the service, an engine or a check of its arguments.
    REJECTED = "rejected"
    # A guard refused it before it ran: its estimate is too large.
    ESTIMATE = "estimate"
    # It ran; the session's budget of rows is used up.
    BUDGET = "budget"
    # Nothing could run: no connection, no credentials, no deployment.
    SETUP = "setup"
    # It began, and did not come to its end; nobody knows how far it came.
    FAILED = "failed"


class Execution(StrEnum):
    NOT_EXECUTED = "not_executed"
    # It may have been carried out.
    NOT_COMPLETED = "not_completed"
    WITHHELD = "executed_result_withheld"


_EXECUTION = {
    Family.REJECTED: Execution.NOT_EXECUTED,
    Family.ESTIMATE: Execution.NOT_EXECUTED,
    Family.BUDGET: Execution.WITHHELD,
    Family.SETUP: Execution.NOT_EXECUTED,
    Family.FAILED: Execution.NOT_COMPLETED,
}
_HEADLINES = {
    Family.REJECTED: "Error: the {what} was NOT executed; it was rejected.",
    Family.ESTIMATE: "Warning: the {what} was NOT executed: its estimated result is too large. Nothing was run.",
    Family.BUDGET: "Warning: the {what} was executed, but its result is withheld: the session's row budget is used up.",
    Family.SETUP: "Error: the {what} was NOT executed: the session could not be prepared.",
    Family.FAILED: "Error: the {what} did NOT complete; nothing was returned, part of it may have been done.",
}


@dataclass(frozen=True, slots=True)
class Feedback:
    """``code`` is stable (docs/errors.md), ``error_type`` the exception's name. ``submitted`` is what was asked for,
    redacted and cut, or empty. ``retryable``: the same call may succeed later. ``attempts``: how often this same call
    has failed by now, as far as was counted. Every text is redacted."""

    what: str
    family: Family
    error_type: str
    code: str
    detail: str
    next_step: str
    submitted: str = ""
    did_you_mean: tuple[str, ...] = ()
    retry_with: Mapping[str, Any] = field(default_factory=dict)
    retryable: bool = False
    attempts: int = 1
    correlation_id: str = ""

    @property
    def execution(self) -> Execution:
        return _EXECUTION[self.family]

    def text(self) -> str:
        """What a model reads: at most 200 tokens (800 bytes of UTF-8) besides ``submitted``."""
        lines = [
            _HEADLINES[self.family].format(what=self.what),
            f"Error type: {self.error_type} ({self.code})",
            f"Detail: {self.detail}",
        ]
        if self.submitted:
            lines.append(f"Submitted {self.what}:\n{self.submitted}")
        if self.did_you_mean:
            lines.append(f"Did you mean: {', '.join(quoted(name) for name in self.did_you_mean)}?")
        if self.retry_with:
            lines.append(f"Would be accepted: {json.dumps(dict(self.retry_with), ensure_ascii=False)}")
        if self.attempts > 1:
            lines.append(f"This same {self.what} has now failed {self.attempts} times.")
        lines.append(f"Retryable: {'yes' if self.retryable else 'no'}")
        lines.append(f"Next step: {self.next_step}")
        if self.correlation_id:
            lines.append(f"Correlation id: {self.correlation_id}")
        return "\n".join(lines)

    def structured(self) -> dict[str, Any]:
        """The same as JSON; members that say nothing are left out."""
        members: dict[str, Any] = {
            "what": self.what,
            "execution": self.execution.value,
            "family": self.family.value,
            "error_type": self.error_type,
            "code": self.code,
            "detail": self.detail,
            "submitted": self.submitted,
            "did_you_mean": list(self.did_you_mean),
            "retry_with": dict(self.retry_with),
            "retryable": self.retryable,
            "attempts": self.attempts if self.attempts > 1 else "",
            "next_step": self.next_step,
            "correlation_id": self.correlation_id,
        }
        return {name: value for name, value in members.items() if value not in ("", [], {})}
