"""What a failing call to AWS means to a caller: busy and worth another try, or a fault of ours."""

from __future__ import annotations

from botocore.exceptions import (
    ClientError,
    HTTPClientError,
    IncompleteReadError,
    ReadTimeoutError,
)
from botocore.exceptions import (
    ConnectionError as BotoConnectionError,
)

from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.storage.deadline import OutOfTime
from session_datasets.storage.narrowing import CredentialsUnavailable

_BUSY = frozenset(
    {
        "InternalError",
        "InternalServerError",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "RequestTimeout",
        "ServiceUnavailable",
        "SlowDown",
        "ThrottlingException",
        "TransactionConflictException",
        "TransactionInProgressException",
    }
)


_DENIED = frozenset({"AccessDenied", "AccessDeniedException", "403"})
# What S3 calls an object, or a version, that is not there; a HEAD has no body and only its status.
MISSING = frozenset({"NoSuchKey", "NoSuchVersion", "404"})


def error_code(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", ""))


def is_denied(error: BaseException) -> bool:
    """Whether AWS said that these credentials may not do that, putting on a caller's role included: a trust that was
    changed shows in every call, and in none as a request to a store."""
    if isinstance(error, CredentialsUnavailable):
        error = error.__cause__ or error
    return isinstance(error, ClientError) and error_code(error) in _DENIED


def refusal_of(error: BaseException) -> Refusal | None:
    """``unavailable`` for throttling, time-outs and server errors of AWS, for a call whose time is up, and for a
    caller's credentials that could not be had; None for anything else."""
    if isinstance(error, ClientError):
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
        busy = error_code(error) in _BUSY or status >= 500
    else:
        busy = isinstance(
            error,
            OutOfTime
            | CredentialsUnavailable
            | BotoConnectionError
            | HTTPClientError
            | IncompleteReadError
            | ReadTimeoutError,
        )
    return (
        Refusal(ProblemCode.UNAVAILABLE, "Storage did not answer in time; the call may be repeated.") if busy else None
    )
