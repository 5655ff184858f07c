"""Whether the same call may succeed later, told from an exception of any library without importing it."""

from __future__ import annotations

from collections.abc import Mapping

from session_datasets.client.errors import Again, ProblemError, TransferError, TransportError, WaitedTooLongError

_PASSING_STATUS = frozenset({408, 429, 500, 502, 503, 504})
# Throttling of AWS and its kin, by their codes.
_PASSING_CODES = frozenset(
    {
        *("Throttling", "ThrottlingException", "ThrottledException", "RequestThrottled", "RequestThrottledException"),
        *("ProvisionedThroughputExceededException", "RequestLimitExceeded", "TooManyRequestsException", "SlowDown"),
        *("BandwidthLimitExceeded", "ServiceUnavailable", "InternalError", "InternalServerError", "RequestTimeout"),
        *("RequestTimeoutException", "TransactionInProgressException", "PriorRequestNotComplete"),
    }
)
# What libraries call a failure that passes.
_PASSING_WORDS = ("timeout", "timedout", "throttl", "ratelimit", "serviceunavailable", "toomanyrequests")


def is_retryable(error: BaseException) -> bool:
    """Throttling, timeouts, lost connections and answers such as 503; False when in doubt."""
    if isinstance(error, ProblemError):
        return error.problem.retryable
    if isinstance(error, TransportError):
        return error.again is not Again.NEVER
    if isinstance(error, TransferError):
        return not error.final
    if isinstance(error, WaitedTooLongError | TimeoutError | ConnectionError):
        return True
    try:
        return _is_passing(error)
    except Exception:
        # An attribute of somebody else's exception may be code of theirs.
        return False


def _is_passing(error: BaseException) -> bool:
    if any(word in type(error).__name__.lower() for word in _PASSING_WORDS):
        return True
    response = getattr(error, "response", None)
    statuses = [getattr(error, "status_code", None), getattr(response, "status_code", None)]
    code = None
    if isinstance(response, Mapping):
        statuses.append(response.get("ResponseMetadata", {}).get("HTTPStatusCode"))
        code = response.get("Error", {}).get("Code")
    return code in _PASSING_CODES or any(status in _PASSING_STATUS for status in statuses if isinstance(status, int))
