from __future__ import annotations

import pytest
from botocore.exceptions import ClientError, ConnectTimeoutError, EndpointConnectionError, ReadTimeoutError

from session_datasets.domain.errors import ProblemCode
from session_datasets.storage.faults import refusal_of


def client_error(code: str, status: int) -> ClientError:
    return ClientError({"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}, "GetObject")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "error",
    [
        client_error("SlowDown", 503),
        client_error("InternalError", 500),
        client_error("ProvisionedThroughputExceededException", 400),
        client_error("ThrottlingException", 400),
        EndpointConnectionError(endpoint_url="https://x"),
        ConnectTimeoutError(endpoint_url="https://x"),
        ReadTimeoutError(endpoint_url="https://x"),
    ],
)
def test_a_busy_service_is_unavailable_and_worth_another_try(error: Exception) -> None:
    refusal = refusal_of(error)
    assert refusal is not None
    assert refusal.problem.code is ProblemCode.UNAVAILABLE
    assert refusal.problem.kind.retryable


@pytest.mark.parametrize("error", [client_error("AccessDenied", 403), client_error("NoSuchKey", 404), ValueError()])
def test_anything_else_is_not(error: Exception) -> None:
    assert refusal_of(error) is None
