"""What it means for a call when the Lambda API refuses it, loses it, or answers that the function failed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from session_datasets.client.errors import (
    Again,
    ConfigurationError,
    FunctionFailedError,
    FunctionTimedOutError,
    LostAnswerError,
    NotDeployedError,
    SessionDatasetsError,
    TransportError,
)
from session_datasets.client.lambda_client import ANSWER_SECONDS

if TYPE_CHECKING:
    from botocore.exceptions import ClientError

_INVOKE = "Invoke"
# The caller was not recognised; what it may do was not even looked at.
_UNKNOWN_CALLER = frozenset(
    {
        "ExpiredToken",
        "ExpiredTokenException",
        "IncompleteSignature",
        "InvalidClientTokenId",
        "InvalidSignatureException",
        "MissingAuthenticationTokenException",
        "RequestExpired",
        "SignatureDoesNotMatch",
        "UnrecognizedClientException",
    }
)
# Functions that start, change or lack capacity, besides everything with status 429 or 5xx.
_NOT_NOW = frozenset(
    {
        "EC2ThrottledException",
        "ResourceConflictException",
        "ServiceException",
        "SnapStartNotReadyException",
        "SnapStartTimeoutException",
        "TooManyRequestsException",
    }
)
_SIGN_IN = (
    "Set AWS_REGION (or AWS_DEFAULT_REGION) and credentials as for the AWS command line; "
    "renew credentials or a sign-in that has expired."
)

_OR_START_IT = ", or run `make up`, if it is the local cloud"


def invoke_error(name: str, qualifier: str, error: Exception) -> SessionDatasetsError | None:
    """What botocore raised while its client was made or used; None for a mistake in this code."""
    from botocore import exceptions as aws

    if isinstance(error, aws.ClientError):
        return _refused(name, qualifier, error)
    if isinstance(error, aws.ReadTimeoutError):
        return LostAnswerError(
            f"{name} gave no answer in {ANSWER_SECONDS} seconds, or in those that the caller had left.",
            "Something between here and the function may have dropped the silent connection.",
            again=Again.ONCE,
        )
    if isinstance(error, aws.HTTPClientError | aws.IncompleteReadError):
        return LostAnswerError(
            f"The connection broke before {name} had answered ({type(error).__name__}).",
            "Check the network.",
            again=Again.SOON,
        )
    if isinstance(error, aws.ConnectionError):
        return TransportError(
            f"{name} could not be reached ({type(error).__name__}).",
            f"Check AWS_ENDPOINT_URL, AWS_REGION and the network{_OR_START_IT if _is_on_this_machine(error) else ''}.",
            again=Again.SOON,
        )
    # A ValueError is what an endpoint that is no URL raises.
    if isinstance(error, aws.BotoCoreError | ValueError):
        return ConfigurationError(f"{name} was not called: {error}", _SIGN_IN)
    return None


def _is_on_this_machine(error: Exception) -> bool:
    endpoint = str(getattr(error, "kwargs", {}).get("endpoint_url", ""))
    return urlsplit(endpoint).hostname in ("127.0.0.1", "localhost", "::1")


def _refused(name: str, qualifier: str, error: ClientError) -> SessionDatasetsError:
    code = str(error.response.get("Error", {}).get("Code", ""))
    status = int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
    if error.operation_name != _INVOKE:
        # Credentials are fetched while a request is signed, by calls of their own (AssumeRole and the like).
        return ConfigurationError(f"{name} was not called: {error.operation_name} was refused ({code}).", _SIGN_IN)
    if code in _UNKNOWN_CALLER:
        return ConfigurationError(
            f"{name} was not invoked: AWS does not accept these credentials ({code}).",
            "Renew the credentials, or the sign-in that they come from, and check this machine's clock.",
        )
    if code == "ResourceNotFoundException":
        return NotDeployedError(
            f"There is no function {name} with the alias {qualifier} in this account and region.",
            "Deploy the stack, or set SESSION_DATASETS_STACK to the name of the one that is deployed.",
        )
    if status in (401, 403):
        return NotDeployedError(
            f"{name} may not be invoked with these credentials ({code}).",
            "Attach the stack's node policy (or, to open sessions, its orchestrator policy) to this role.",
        )
    passing = code in _NOT_NOW or status == 429 or status >= 500
    return TransportError(f"{name} was not invoked ({code}).", again=Again.LATER if passing else Again.NEVER)


def function_error(name: str, payload: bytes) -> FunctionFailedError:
    """A function that ended without an answer. Its error text is not passed on: it may quote the request."""
    try:
        told = json.loads(payload)
        kind, message = str(told.get("errorType", "")), str(told.get("errorMessage", ""))
    except (ValueError, AttributeError):
        kind, message = "", ""
    if "Timedout" in kind or "timed out" in message:
        return FunctionTimedOutError(
            f"{name} ran out of its time.", "Ask for less in one call, or register a smaller file."
        )
    return FunctionFailedError(
        f"{name} ended without an answer ({kind or 'unknown error'}).",
        "Make the same call once more; if it fails again, look into the function's log.",
        again=Again.SOON,
    )
