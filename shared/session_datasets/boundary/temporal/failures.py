"""What went wrong with a payload that crosses by reference, as Temporal understands it: does trying again help?

    type                   an activity   a workflow that   a workflow that   when
                           is            is sent it        sends it
    PayloadGone            failed        failed            -                 the file, or its version, was deleted
    PayloadChanged         failed        failed            -                 the bytes are not those that were sent
    PayloadTooLarge        failed        failed            failed, or task   more bytes than max_payload_bytes
    PayloadNotKept         failed        -                 task              the run or conversation has ended, or the
                                                                             service refuses such a file
    PayloadNotReachable    retried       task              task              the session does not reach the artifact,
                                                                             or its token has expired
    PayloadNotUnderstood   retried       task              -                 a newer version wrote the reference
    PayloadStoreFailed     retried       task              task              no answer, or the service is busy

*failed*: for good, whatever the retry policy. *retried*: as its retry policy says. *task*: the workflow's task fails,
the server tries it again, without an end but the workflow's own timeout, and the workflow goes on when it succeeds:
nothing that happens while a task's result is sent can fail a workflow. What is known before is therefore raised in the
workflow's code, by the converter: PayloadTooLarge, at the line that sends the value. Behind a codec nobody knows the
size before it is sent, so there it fails the task. A workflow whose run has ended has nowhere to keep what it sends:
terminate it.

An artifact that is not found counts as not reachable: the service does not tell whether it exists for somebody else,
and a worker that was given the wrong session must not fail every running workflow for good.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from temporalio.api.failure.v1 import Failure
from temporalio.converter import DefaultFailureConverter, PayloadConverter
from temporalio.exceptions import ApplicationError

from session_datasets.boundary.references import errors as references
from session_datasets.client import errors

GONE = "PayloadGone"
CHANGED = "PayloadChanged"
TOO_LARGE = "PayloadTooLarge"
NOT_KEPT = "PayloadNotKept"
NOT_REACHABLE = "PayloadNotReachable"
NOT_UNDERSTOOD = "PayloadNotUnderstood"
STORE_FAILED = "PayloadStoreFailed"

_FINAL = frozenset({GONE, CHANGED, TOO_LARGE, NOT_KEPT})
# The first that fits.
_TYPES: tuple[tuple[type[BaseException], str], ...] = (
    (references.MissingReferenceError, GONE),
    (references.ChangedReferenceError, CHANGED),
    (references.MalformedReferenceError, NOT_UNDERSTOOD),
    (references.DatasetReferenceError, NOT_REACHABLE),
    (errors.EndedError, NOT_KEPT),
    (errors.UnreadableFileError, NOT_KEPT),
    (errors.TooLargeError, TOO_LARGE),
    (errors.NotAllowedError, NOT_REACHABLE),
    (errors.AuthenticationError, NOT_REACHABLE),
    (errors.ConfigurationError, NOT_REACHABLE),
)


def payload_error(kind: str, text: str) -> ApplicationError:
    return ApplicationError(text, type=kind, non_retryable=kind in _FINAL)


def too_large(size: int, size_max: int) -> ApplicationError:
    return payload_error(
        TOO_LARGE,
        f"A payload of {size:,} bytes was not sent: the plugin takes up to {size_max:,}. "
        "Register a file with register_artifact in the activity, and return its reference.",
    )


@contextmanager
def told_to_temporal(what: str) -> Iterator[None]:
    """Turns what a store raises into an ApplicationError; ``what`` begins its text."""
    try:
        yield
    except ApplicationError:
        raise
    except Exception as error:
        kind = next((kind for family, kind in _TYPES if isinstance(error, family)), STORE_FAILED)
        raise payload_error(kind, f"{what}: {error}") from error


class PayloadFailureConverter(DefaultFailureConverter):
    """Says of an activity whose arguments cannot be fetched whether trying again helps, and tells an error without its
    details when those are too large.

    The SDK wraps such an error in one of its own that is always retried; the one inside knows better.
    """

    def to_failure(self, exception: BaseException, payload_converter: PayloadConverter, failure: Failure) -> None:
        try:
            super().to_failure(exception, payload_converter, failure)
        except ApplicationError as error:
            if error.type != TOO_LARGE:
                raise
            # Its details did not fit. It still has to be told, or a workflow's task fails for ever.
            failure.Clear()
            super().to_failure(_without_details(exception, error), payload_converter, failure)
        cause = exception.__cause__
        if isinstance(exception, ApplicationError) and isinstance(cause, ApplicationError) and cause.type in _FINAL:
            failure.application_failure_info.non_retryable = True


def _without_details(exception: BaseException, why: ApplicationError) -> BaseException:
    message = exception.message if isinstance(exception, ApplicationError) else str(exception)
    told = ApplicationError(
        f"{message} (Its details are missing: {why.message})",
        type=exception.type if isinstance(exception, ApplicationError) else type(exception).__name__,
        non_retryable=isinstance(exception, ApplicationError) and exception.non_retryable,
    )
    return told.with_traceback(exception.__traceback__)
