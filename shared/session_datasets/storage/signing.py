"""Requests to AWS that are signed without a client: by botocore's own signers, with this function's credentials.

Only where there is nothing to decide: a region of the usual name, credentials that Lambda hands over, and a POST of
JSON or a GET of one object. Everywhere else the answer is None, and whoever asked takes the client.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
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
# What changes credentials or host names in ways that only the client knows.
_UNUSUAL_VARIABLES = ("AWS_PROFILE", "AWS_USE_FIPS_ENDPOINT", "AWS_USE_DUALSTACK_ENDPOINT")

# Versions of JSON in which services are called.
_CONTENT_TYPES = {"dynamodb": "application/x-amz-json-1.0", "secretsmanager": "application/x-amz-json-1.1"}
# Behind AWS_ENDPOINT_URL_.
_SERVICE_VARIABLES = {"dynamodb": "DYNAMODB", "s3": "S3", "secretsmanager": "SECRETS_MANAGER"}


@dataclass(frozen=True, slots=True)
class Keys:
    """As much of botocore's credentials as its signers look at."""

    access_key: str
    secret_key: str
    token: str | None


@dataclass(frozen=True, slots=True)
class Signed:
    """A POST, ready to be sent."""

    url: str
    headers: Mapping[str, str]
    body: bytes


def signed_call(service: str, target: str, members: Mapping[str, Any]) -> Signed | None:
    """An operation of a service that speaks JSON, such as ``DynamoDB_20120810.GetItem`` of ``dynamodb``."""
    keys, endpoint = _keys(), _endpoint(service)
    if keys is None or endpoint is None:
        return None
    headers = {"Content-Type": _CONTENT_TYPES[service], "X-Amz-Target": target}
    request = AWSRequest("POST", endpoint + "/", headers=headers, data=json.dumps(members).encode())
    SigV4Auth(keys, service, _region()).add_auth(request)
    return Signed(request.url, dict(request.headers.items()), request.data)


def presigned_get(bucket: str, key: str, version_id: str, seconds: int) -> str | None:
    """A URL of one version of an object, good for ``seconds``."""
    keys, place = _keys(), _bucket_url(bucket)
    if keys is None or place is None:
        return None
    url = f"{place}/{quote(key, safe='/~')}?{urlencode({'versionId': version_id}, quote_via=quote)}"
    request = AWSRequest("GET", url)
    S3SigV4QueryAuth(keys, "s3", _region(), expires=seconds).add_auth(request)
    return str(request.url)


def _bucket_url(bucket: str) -> str | None:
    endpoint = _endpoint("s3")
    if endpoint is None or "." in bucket:  # no certificate is good for a bucket's name with a point
        return None
    if _configured("s3"):
        return f"{endpoint}/{bucket}"
    return f"https://{bucket}.s3.{_region()}.amazonaws.com"


def _endpoint(service: str) -> str | None:
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


def _keys() -> Keys | None:
    environment = os.environ
    if any(name in environment for name in _UNUSUAL_VARIABLES):
        return None
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
