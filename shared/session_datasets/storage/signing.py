"""Requests to AWS that are signed without a client: by botocore's own signers, with the keys that ``keys`` tells.

Only where there is nothing to decide: a region of the usual name, keys at hand, and a POST of JSON, of a form or a GET
of one object. Everywhere else the answer is None, and whoever asked takes the client.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import quote, urlencode

from botocore.auth import S3SigV4QueryAuth, SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.exceptions import BotoCoreError

# Whose host names end otherwise: China and the isolated regions.
_OTHER_PARTITIONS = ("cn-", "us-iso", "eu-iso", "eusc-")
# What changes keys or host names in ways that only the client knows.
_UNUSUAL_VARIABLES = ("AWS_PROFILE", "AWS_USE_FIPS_ENDPOINT", "AWS_USE_DUALSTACK_ENDPOINT")

# Versions of JSON in which services are called.
_CONTENT_TYPES = {"dynamodb": "application/x-amz-json-1.0", "secretsmanager": "application/x-amz-json-1.1"}
_FORM = "application/x-www-form-urlencoded; charset=utf-8"
# Behind AWS_ENDPOINT_URL_.
_SERVICE_VARIABLES = {"dynamodb": "DYNAMODB", "s3": "S3", "secretsmanager": "SECRETS_MANAGER", "sts": "STS"}


@dataclass(frozen=True, slots=True)
class Keys:
    """As much of botocore's credentials as its signers look at."""

    access_key: str
    secret_key: str
    token: str | None


TellKeys = Callable[[], Keys | None]


@dataclass(frozen=True, slots=True)
class Signed:
    """A POST, ready to be sent."""

    url: str
    headers: Mapping[str, str]
    body: bytes


def signed_call(service: str, target: str, members: Mapping[str, Any], keys: TellKeys) -> Signed | None:
    """An operation of a service that speaks JSON, such as ``DynamoDB_20120810.GetItem`` of ``dynamodb``."""
    headers = {"Content-Type": _CONTENT_TYPES[service], "X-Amz-Target": target}
    return _signed(service, headers, json.dumps(members).encode(), keys)


def signed_form(service: str, members: Mapping[str, str], keys: TellKeys) -> Signed | None:
    """An operation of a service that takes forms, such as ``sts``."""
    return _signed(service, {"Content-Type": _FORM}, urlencode(members).encode(), keys)


def _signed(service: str, headers: Mapping[str, str], body: bytes, keys: TellKeys) -> Signed | None:
    endpoint = _endpoint(service)
    told = keys() if endpoint is not None else None
    if told is None:
        return None
    request = AWSRequest("POST", f"{endpoint}/", headers=headers, data=body)
    SigV4Auth(told, service, _region()).add_auth(request)
    return Signed(request.url, dict(request.headers.items()), request.data)


def presigned_get(bucket: str, key: str, version_id: str, seconds: int, keys: TellKeys) -> str | None:
    """A URL of one version of an object, good for ``seconds``."""
    place = _bucket_url(bucket)
    told = keys() if place is not None else None
    if told is None:
        return None
    url = f"{place}/{quote(key, safe='/~')}?{urlencode({'versionId': version_id}, quote_via=quote)}"
    request = AWSRequest("GET", url)
    S3SigV4QueryAuth(told, "s3", _region(), expires=seconds).add_auth(request)
    return str(request.url)


def _bucket_url(bucket: str) -> str | None:
    endpoint = _endpoint("s3")
    if endpoint is None or "." in bucket:  # no certificate is good for a bucket's name with a point
        return None
    if _configured("s3"):
        return f"{endpoint}/{bucket}"
    return f"https://{bucket}.s3.{_region()}.amazonaws.com"


def _endpoint(service: str) -> str | None:
    if any(name in os.environ for name in _UNUSUAL_VARIABLES):
        return None
    if own := _configured(service):
        return own.rstrip("/")
    region = _region()
    if not region or region.startswith(_OTHER_PARTITIONS):
        return None
    return f"https://{service}.{region}.amazonaws.com"


def _configured(service: str) -> str | None:
    return os.environ.get(f"AWS_ENDPOINT_URL_{_SERVICE_VARIABLES[service]}") or os.environ.get("AWS_ENDPOINT_URL")


def _region() -> str:
    return os.environ.get("AWS_DEFAULT_REGION") or os.environ.get("AWS_REGION") or ""


def function_keys() -> Keys | None:
    """Those of this function's own role, as Lambda hands them over; None where they lie elsewhere."""
    environment = os.environ
    access_key, secret_key = environment.get("AWS_ACCESS_KEY_ID"), environment.get("AWS_SECRET_ACCESS_KEY")
    if access_key and secret_key:
        return Keys(access_key, secret_key, environment.get("AWS_SESSION_TOKEN"))
    with suppress(BotoCoreError):
        if held := _container_credentials():
            now = held.get_frozen_credentials()
            return Keys(now.access_key, now.secret_key, now.token)
    return None


@cache
def _container_credentials() -> Any:
    """Those of a function that was restored from a snapshot: its environment has none, for they would be too old."""
    # Imported here: most functions find their keys in the environment.
    from botocore.credentials import ContainerProvider

    return ContainerProvider().load()
