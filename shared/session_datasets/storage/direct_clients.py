"""As much of the clients as a process's first page needs, without making one.

To import boto3 and to make its clients of three services takes several times what the page does. What begins every
page (the signing key, the record, a URL for the rows) is signed by ``signing.py`` and sent by urllib3. Whatever is not
the plain success (an error, a lost connection, a proxy, credentials that lie elsewhere) is asked of boto3's client, as
are all other operations: it knows how to try again and what an error means.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any

import urllib3

from session_datasets.storage.connections import connections, straight, timeout
from session_datasets.storage.lazy_client import LazyClient
from session_datasets.storage.signing import Signed, TellKeys, presigned_get, signed_call, signed_form

_OK = 200
_STS_VERSION = "2011-06-15"
_ISSUED = re.compile(r"<(AccessKeyId|SecretAccessKey|SessionToken|Expiration)>([^<&]+)</")


class _Direct(LazyClient):
    """``keys`` tells what to sign with, anew for each request."""

    def __init__(self, make: Callable[[], Any], keys: TellKeys) -> None:
        super().__init__(make)
        self._keys = keys
        self._pool: urllib3.PoolManager | None = None

    def _answer(self, service: str, target: str, members: Mapping[str, Any]) -> dict[str, Any] | None:
        """What the service answered; None for whatever the client has to look into."""
        call = signed_call(service, target, members, self._keys) if straight() else None
        body = self._body(call)
        with suppress(ValueError):
            answer: dict[str, Any] | None = json.loads(body) if body is not None else None
            return answer
        return None

    def _body(self, call: Signed | None) -> bytes | None:
        if call is None:
            return None
        with suppress(urllib3.exceptions.HTTPError):
            pool = self._connections(call.url)
            sent = pool.request("POST", call.url, body=call.body, headers=call.headers, timeout=timeout())
            if sent.status == _OK:
                return bytes(sent.data)
        return None

    def _connections(self, url: str) -> urllib3.PoolManager:
        # Made with the first call: a function may know a store that it never asks.
        if self._pool is None:
            self._pool = connections(secure=url.startswith("https:"))
        return self._pool


class DirectDynamoDb(_Direct):
    """GetItem, of items without binary values; all else is the client's."""

    def get_item(self, **members: Any) -> dict[str, Any]:
        answer = self._answer("dynamodb", "DynamoDB_20120810.GetItem", members)
        return self._client().get_item(**members) if answer is None else answer


class DirectSecrets(_Direct):
    """GetSecretValue, of secrets that are text; all else is the client's."""

    def get_secret_value(self, **members: Any) -> dict[str, Any]:
        answer = self._answer("secretsmanager", "secretsmanager.GetSecretValue", members)
        return self._client().get_secret_value(**members) if answer is None else answer


class DirectSts(_Direct):
    """AssumeRole; all else is the client's."""

    def assume_role(self, **members: Any) -> dict[str, Any]:
        call = signed_form("sts", _form("AssumeRole", members), self._keys) if straight() else None
        body = self._body(call)
        issued = dict(_ISSUED.findall(body.decode())) if body is not None else {}
        if issued.keys() >= {"AccessKeyId", "SecretAccessKey", "SessionToken", "Expiration"}:
            return {"Credentials": issued | {"Expiration": datetime.fromisoformat(issued["Expiration"])}}
        answer: dict[str, Any] = self._client().assume_role(**members)
        return answer


def _form(action: str, members: Mapping[str, Any]) -> dict[str, str]:
    """As services take them that speak forms: what is in a list is numbered from 1."""
    form = {"Action": action, "Version": _STS_VERSION}
    for name, value in members.items():
        if isinstance(value, list):
            pairs = ((f"{name}.member.{place}", each) for place, each in enumerate(value, start=1))
            form |= {f"{place}.{key}": str(text) for place, each in pairs for key, text in each.items()}
        else:
            form[name] = str(value)
    return form


class DirectS3(LazyClient):
    """URLs of an object's version; all else is the client's."""

    def __init__(self, make: Callable[[], Any], keys: TellKeys) -> None:
        super().__init__(make)
        self._keys = keys

    def generate_presigned_url(self, operation: str, **more: Any) -> str:
        wanted = more.get("Params", {})
        url = None
        if operation == "get_object" and wanted.keys() == {"Bucket", "Key", "VersionId"}:
            url = presigned_get(wanted["Bucket"], wanted["Key"], wanted["VersionId"], more["ExpiresIn"], self._keys)
        return url or str(self._client().generate_presigned_url(operation, **more))
