"""What went wrong with a payload that crosses by reference, as Temporal understands it: does trying again help?

    type                   retried   when
    PayloadGone            no        the registered file, or its registered version, was deleted
    PayloadChanged         no        the bytes are not those that were sent
    PayloadTooLarge        no        more bytes than the plugin's max_payload_bytes
    PayloadNotKept         no        the run or conversation has ended, or the service refuses such a file
    PayloadNotReachable    yes       this worker's session does not reach the artifact, or its token has expired
    PayloadNotUnderstood   yes       a newer version wrote the reference, which this worker needs as well
    PayloadStoreFailed     yes       no answer, or the service is busy

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
    """Says of an activity whose arguments cannot be fetched whether trying again helps.

    The SDK wraps such an error in one of its own that is always retried; the one inside knows better.
    """

    def to_failure(self, exception: BaseException, payload_converter: PayloadConverter, failure: Failure) -> None:
        super().to_failure(exception, payload_converter, failure)
        cause = exception.__cause__
        if isinstance(exception, ApplicationError) and isinstance(cause, ApplicationError) and cause.type in _FINAL:
            failure.application_failure_info.non_retryable = True
