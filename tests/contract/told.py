"""One example of every code that does not come from the service: what a model is told by ``feedback_of``.

docs/errors.md ends with them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from session_datasets.client import errors
from session_datasets.client.errors import Again, SessionDatasetsError
from session_datasets.domain.correlation import correlated
from session_datasets.feedback import (
    Feedback,
    GuardError,
    SessionBudget,
    SessionSetupError,
    check_estimate,
    feedback_of,
)
from session_datasets.feedback.explaining import rejected

_LOAD = "load_artifact call"
_READ = "read_rows call"
_REGISTER = "register_artifact call"

_HEAD = """## What a model is told

`session_datasets.feedback` makes of every exception, these problems among them, one text for a model and the same as
JSON: whether it was executed, the exception's name and its code, the detail without secrets, what was submitted (cut at
2,000 characters), near names, whether to try again, the next step, and a correlation id that finds the event in the
operator's log. It costs at most 200 tokens (800 bytes of UTF-8) besides what was submitted. A call that fails again is
told so, and asked not to be made again unchanged.

The codes below are the client's, those of guards, and the two that stand for exceptions of other libraries.
"""


def raised_by_a_guard() -> tuple[Exception, Exception]:
    """What the guards say themselves."""
    found: list[Exception] = []
    guards: list[Callable[[], None]] = [
        lambda: check_estimate(5_000_000, 1_000_000),
        lambda: SessionBudget(10_000).charge(12_500),
    ]
    for refuses in guards:
        try:
            refuses()
        except GuardError as error:
            found.append(error)
    return found[0], found[1]


def examples() -> Mapping[str, Feedback]:
    """By code, in the order of the document."""
    estimate, budget = raised_by_a_guard()
    setup = SessionSetupError("The database session could not be opened.")
    setup.__cause__ = ConnectionError("connect to postgres://reader:secret@db:5432/sales refused")
    query = "SELECT prize FROM sales"
    told = [
        rejected(ValueError('column "prize" does not exist'), what="query", submitted=query),
        rejected(estimate, what="query"),
        rejected(budget, what="query"),
        rejected(GuardError("Statements that write are not allowed.", "Read with SELECT."), what="query"),
        rejected(setup, what="query"),
        feedback_of(ZeroDivisionError("division by zero"), what="summarize call", submitted={"column": "price"}),
    ]
    told += [feedback_of(error, what=what) for error, what in _of_the_client()]
    return {each.code: each for each in told}


def _of_the_client() -> list[tuple[SessionDatasetsError, str]]:
    return [
        (errors.TransportError("read_rows was not invoked (TooManyRequestsException).", again=Again.LATER), _READ),
        (
            errors.NotDeployedError(
                "There is no function session-datasets-read-rows with the alias live in this account and region.",
                "Deploy the stack, or set SESSION_DATASETS_STACK to the name of the one that is deployed.",
            ),
            _READ,
        ),
        (
            errors.LostAnswerError(
                "The connection broke before session-datasets-register-artifact had answered (ReadTimeoutError).",
                "Check the network.",
                again=Again.SOON,
            ),
            _REGISTER,
        ),
        (
            errors.FunctionFailedError(
                "session-datasets-read-rows ended without an answer (Runtime.ExitError).",
                "Make the same call once more; if it fails again, look into the function's log.",
                again=Again.SOON,
            ),
            _READ,
        ),
        (
            errors.FunctionTimedOutError(
                "session-datasets-register-artifact ran out of its time.",
                "Ask for less in one call, or register a smaller file.",
            ),
            _REGISTER,
        ),
        (
            errors.UnexpectedAnswerError(
                "The answer of read_rows does not have the form of wire version 1 (at rows).",
                "Use an SDK of the same major version as the service.",
            ),
            _READ,
        ),
        (errors.TransferError("The download stopped after 3 tries.", "Make the same call again.", status=503), _LOAD),
        (
            errors.ChecksumError(
                "The bytes that came are not the registered ones; nothing was kept.",
                "Load it again; if it happens again, register the file anew.",
            ),
            _LOAD,
        ),
        (
            errors.NotEnoughSpaceError("The file has 5,000,000 bytes; the disk has room for 1,200.", "Make room."),
            _LOAD,
        ),
        (
            errors.WaitedTooLongError(
                "The profile was not there after 60 seconds; the service goes on making it.",
                "Wait longer, or call describe_artifact for the progress.",
            ),
            _REGISTER,
        ),
        (
            errors.UnsafePathError(
                "'../a.csv' lies outside of the working directory; nothing was loaded.", "Name a file below it."
            ),
            _LOAD,
        ),
        (
            errors.IncompleteRowError("Row 7 is larger than any page.", "Load the artifact to have it whole."),
            "to_arrow call",
        ),
        (
            errors.UnwritableTableError(
                "The table was not written as Parquet: column 'mixed' holds text and numbers.",
                "Give the column one type.",
            ),
            _REGISTER,
        ),
        (errors.ConfigurationError("There is no AWS region.", "Set AWS_REGION."), _READ),
        (
            errors.MissingExtraError("pyarrow is not installed.", "Run: pip install 'session-datasets[arrow]'"),
            "to_arrow call",
        ),
        (SessionDatasetsError("The call did not succeed."), _READ),
    ]


def section() -> str:
    """Markdown."""
    with correlated("cor-0f6c1d2e3b4a5968778695a4"):
        shown = examples()
    parts = [f"### {code}\n\n```text\n{feedback.text()}\n```\n" for code, feedback in shown.items()]
    return "\n".join([_HEAD, *parts])
