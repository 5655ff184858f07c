"""Errors as botocore raises them."""

from __future__ import annotations

from botocore.exceptions import ClientError


def client_error(operation: str, status: int, code: str) -> ClientError:
    answered = {"Error": {"Code": code, "Message": code}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return ClientError(answered, operation)
