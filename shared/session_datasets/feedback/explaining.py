"""From any exception to feedback: what it is a case of, what to do next, and all of it within its size."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from session_datasets.client import errors
from session_datasets.client.errors import ProblemError, SessionDatasetsError
from session_datasets.domain.correlation import current_or_new
from session_datasets.domain.redaction import MASK, redact
from session_datasets.feedback.errors import EstimateExceededError, RowBudgetExceededError, SessionSetupError
from session_datasets.feedback.failures import Failures
from session_datasets.feedback.fitting import fitted
from session_datasets.feedback.model import UNEXPECTED, Family, Feedback
from session_datasets.feedback.retrying import is_retryable
from session_datasets.feedback.telling import tell
from session_datasets.feedback.words import NO_DETAIL, detail_of, label, name_of, short, submitted_text, well_formed

FIX_IT = (
    "Correct the {what} by the detail (syntax, names, types, operators) and submit it again; look at the schema first "
    "if a name is in doubt."
)
NARROW_IT = "Filter the {what} more narrowly or aggregate, so that its result is smaller, then submit it again."
STOP_FETCHING = "Stop fetching rows: aggregate or summarize, or begin a new session, whose budget is whole."
REPORT_IT = "This is not caused by your {what}: do not change or repeat it. Stop, and report this error to the user."
NOT_YOURS = "It is not caused by your {what}: do not repeat it, tell the user."
TRY_AGAIN = "Wait a moment and make the same {what} again, unchanged."
UNKNOWN = "Check what you passed against the detail; if it fails again, report the correlation id to the user."
NOT_AGAIN = "Do not make it again unchanged: change what the detail names, or go another way, or tell the user."
NOT_NOW = "It keeps failing: do something else first, or tell the user; do not repeat it at once."
# A passing failure may come twice; a mistake that is made twice was not understood.
_PATIENCE = 3

_SETUP = (
    errors.NotDeployedError,
    errors.ConfigurationError,
    errors.MissingExtraError,
    errors.AuthenticationError,
    SessionSetupError,
)

# Of exceptions that are not ours.
_FOREIGN_CODES = {
    Family.REJECTED: "engine-rejected",
    Family.ESTIMATE: "estimate-exceeded",
    Family.BUDGET: "row-budget-exceeded",
    Family.SETUP: "session-setup",
    Family.FAILED: UNEXPECTED,
}


def feedback_of(
    error: BaseException,
    *,
    what: str = "call",
    submitted: object = None,
    failures: Failures | None = None,
    rejections: tuple[type[BaseException], ...] = (),
) -> Feedback:
    """Any exception as feedback, and as an event of the operator's log. Never raises.

    ``what`` names what was tried ("query", "read_rows call"); ``submitted`` is the query or the arguments; ``failures``
    counts calls that fail again; of ``rejections`` is known that nothing was run.
    """
    family = _family_of(error)
    refused = family is Family.FAILED and isinstance(error, rejections)
    return _told(error, Family.REJECTED if refused else family, what, submitted, failures)


def rejected(error: BaseException, *, what: str, submitted: object = None) -> Feedback:
    """Likewise for what an engine raised while it was given a query: it ran nothing of it."""
    return feedback_of(error, what=what, submitted=submitted, rejections=(BaseException,))


def of_family(error: BaseException, family: Family, *, what: str) -> Feedback:
    return _told(error, family, what, None, None)


def _told(error: BaseException, family: Family, what: str, submitted: object, failures: Failures | None) -> Feedback:
    named = label(what)
    try:
        attempts = failures.failed(named, submitted) if failures is not None else 1
        feedback = fitted(_explained(error, family, named, submitted_text(submitted), attempts))
    except Exception:
        # The first error is what has to be answered, not one more that was met on the way.
        feedback = Feedback(
            named, family, name_of(error), _FOREIGN_CODES[family], NO_DETAIL, UNKNOWN, correlation_id=current_or_new()
        )
    tell(feedback, error)
    return feedback


def _explained(error: BaseException, family: Family, what: str, submitted: str, attempts: int) -> Feedback:
    retryable = is_retryable(error)
    feedback = Feedback(
        what=what,
        family=family,
        error_type=name_of(error),
        code=code_of(error, family),
        detail=_detail(error),
        next_step=_next_step(error, family, retryable).format(what=what),
        submitted=submitted,
        retryable=retryable,
        attempts=attempts,
        correlation_id=_correlation_of(error),
    )
    if isinstance(error, ProblemError):
        feedback = replace(
            feedback,
            did_you_mean=tuple(well_formed(redact(name)) for name in error.problem.did_you_mean),
            retry_with=_redacted_arguments(error.problem.retry_with),
        )
    return _insisting(feedback)


def _insisting(feedback: Feedback) -> Feedback:
    if feedback.attempts < (_PATIENCE if feedback.retryable else 2):
        return feedback
    hint = NOT_NOW if feedback.retryable else NOT_AGAIN
    return replace(feedback, next_step=f"{hint} {feedback.next_step}" if not feedback.retryable else hint)


def _family_of(error: BaseException) -> Family:
    if isinstance(error, EstimateExceededError):
        return Family.ESTIMATE
    if isinstance(error, RowBudgetExceededError):
        return Family.BUDGET
    if isinstance(error, _SETUP):
        return Family.SETUP
    if isinstance(error, ProblemError):
        return Family.REJECTED if error.problem.status < 500 else Family.FAILED
    return Family.REJECTED if isinstance(error, SessionDatasetsError) and not error.begun else Family.FAILED


def code_of(error: BaseException, family: Family) -> str:
    """Stable: the problem's own, or the name of our exception; of others, what its family is called."""
    if isinstance(error, ProblemError):
        return short(error.code)
    if not isinstance(error, SessionDatasetsError):
        return _FOREIGN_CODES[family]
    # Of an application's own kind of ours, the kind of ours.
    ours = next(kind for kind in type(error).__mro__ if kind.__module__.startswith("session_datasets."))
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", ours.__name__.removesuffix("Error")).lower()


def _detail(error: BaseException) -> str:
    if isinstance(error, ProblemError):
        # Words of the service, which names what the caller may know and nothing else.
        return redact(error.detail).strip() or NO_DETAIL
    if isinstance(error, SessionDatasetsError):
        # Its advice is the next step.
        return redact(error.detail).strip() or NO_DETAIL if error.__cause__ is None else detail_of(error, error.detail)
    return detail_of(error)


def _next_step(error: BaseException, family: Family, retryable: bool) -> str:
    advice = error.advice.replace("{", "{{").replace("}", "}}") if isinstance(error, SessionDatasetsError) else ""
    if advice:
        return redact(advice) + (f" {NOT_YOURS}" if family is Family.SETUP else "")
    if family is Family.ESTIMATE:
        return NARROW_IT
    if family is Family.BUDGET:
        return STOP_FETCHING
    if retryable:
        return TRY_AGAIN
    if family is Family.SETUP:
        return REPORT_IT
    return FIX_IT if family is Family.REJECTED else UNKNOWN


def _redacted_arguments(arguments: dict[str, object]) -> dict[str, object]:
    # Half a surrogate pair is spelled out by two backslashes, since JSON reads one as the half itself.
    told = json.dumps(arguments, ensure_ascii=False)
    told = redact(re.sub("[\ud800-\udfff]", lambda half: f"\\\\u{ord(half[0]):04x}", told))
    try:
        return dict(json.loads(told))
    except ValueError:
        return {well_formed(name): MASK for name in arguments}


def _correlation_of(error: BaseException) -> str:
    """The call's own id where the client made one; the one in force, or a new one, for everything else."""
    known = error.correlation_id if isinstance(error, SessionDatasetsError) else ""
    return known or current_or_new()
