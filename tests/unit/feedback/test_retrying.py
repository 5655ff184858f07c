"""Which failures may pass by themselves, whoever raised them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError, ReadTimeoutError

from session_datasets.client.errors import (
    Again,
    ChecksumError,
    FunctionFailedError,
    LostAnswerError,
    NotDeployedError,
    TransferError,
    TransportError,
    WaitedTooLongError,
)
from session_datasets.feedback import Failures, feedback_of
from session_datasets.feedback.retrying import is_retryable


def of_aws(code: str, status: int) -> ClientError:
    answer = {"Error": {"Code": code, "Message": "x"}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return ClientError(answer, "Query")


class OfHttpError(Exception):
    def __init__(self, status_code: Any) -> None:
        self.response = SimpleNamespace(status_code=status_code)


class OfModelError(Exception):
    def __init__(self, status_code: int) -> None:
        self.status_code = status_code


RateLimitError = type("RateLimitError", (Exception,), {})
QueryTimeout = type("QueryTimeout", (Exception,), {})

PASSING = {
    "a timeout": TimeoutError(),
    "a lost connection": ConnectionResetError(),
    "throttling": of_aws("ThrottlingException", 400),
    "throughput": of_aws("ProvisionedThroughputExceededException", 400),
    "slow down": of_aws("SlowDown", 503),
    "any 503 of AWS": of_aws("Whatever", 503),
    "a read that timed out": ReadTimeoutError(endpoint_url="https://x"),
    "503 of HTTP": OfHttpError(503),
    "429 of HTTP": OfHttpError(429),
    "429 of a model": OfModelError(429),
    "a rate limit by its name": RateLimitError(),
    "a timeout by its name": QueryTimeout(),
    "a lost answer": LostAnswerError("x", again=Again.SOON),
    "a function without capacity": TransportError("x", again=Again.LATER),
    "a transfer": TransferError("x"),
    "a profile that is being made": WaitedTooLongError("x"),
}
LASTING = {
    "a mistake": ValueError("x"),
    "no permission": of_aws("AccessDenied", 403),
    "404 of HTTP": OfHttpError(404),
    "a status that is no number": OfHttpError("503"),
    "no deployment": NotDeployedError("x"),
    "a function that can not": FunctionFailedError("x"),
    "other bytes": ChecksumError("x"),
    "nothing known": EndpointConnectionError(endpoint_url="https://x"),
}


@pytest.mark.parametrize("case", PASSING)
def test_it_is_marked_retryable(case: str) -> None:
    assert is_retryable(PASSING[case])
    assert "Retryable: yes" in feedback_of(PASSING[case]).text()


@pytest.mark.parametrize("case", LASTING)
def test_it_is_not_marked_retryable(case: str) -> None:
    assert not is_retryable(LASTING[case])


def test_a_failure_that_may_pass_asks_for_the_same_call_unchanged() -> None:
    assert feedback_of(TimeoutError(), what="query").next_step == (
        "Wait a moment and make the same query again, unchanged."
    )


def hints(error: Exception, times: int) -> list[str]:
    failures = Failures()
    told = (feedback_of(error, what="query", submitted="SELECT 1", failures=failures) for _ in range(times))
    return [feedback.text() for feedback in told]


def test_the_same_mistake_again_gets_a_stronger_hint() -> None:
    first, second, third = hints(ValueError("no such table"), 3)
    assert "Do not make it again unchanged" not in first
    assert "This same query has now failed 2 times." in second
    assert "Do not make it again unchanged" in second
    assert "This same query has now failed 3 times." in third


def test_a_failure_that_may_pass_gets_the_stronger_hint_at_its_third_time() -> None:
    first, second, third = hints(TimeoutError(), 3)
    assert "unchanged" in first
    assert "unchanged" in second
    assert "do not repeat it at once" in third


def test_another_call_starts_from_the_beginning() -> None:
    failures = Failures()
    feedback_of(ValueError(), what="query", submitted="SELECT 1", failures=failures)
    assert feedback_of(ValueError(), what="query", submitted="SELECT 2", failures=failures).attempts == 1
