"""As much of the clients as a process's first page needs, without making one.

To import boto3 and to make its clients of three services takes several times what the page does. What begins every
page (the signing key, the record, a URL for the rows) is signed by ``signing.py`` and sent by urllib3. Whatever is not
the plain success (an error, a lost connection, a proxy, credentials that lie elsewhere) is asked of boto3's client, as
are all other operations: it knows how to try again and what an error means.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import urllib3

from session_datasets.storage.connections import connections, straight
from session_datasets.storage.lazy_client import LazyClient
from session_datasets.storage.signing import presigned_get, signed_call

_OK = 200


class _Direct(LazyClient):
    def __init__(self, make: Callable[[], Any]) -> None:
        super().__init__(make)
        self._pool: urllib3.PoolManager | None = None

    def _answer(self, service: str, target: str, members: Mapping[str, Any]) -> dict[str, Any] | None:
        """What the service answered; None for whatever the client has to look into."""
        call = signed_call(service, target, members) if straight() else None
        if call is None:
            return None
        with suppress(urllib3.exceptions.HTTPError, ValueError):
            sent = self._connections(call.url).request("POST", call.url, body=call.body, headers=call.headers)
            if sent.status == _OK:
                answer: dict[str, Any] = json.loads(sent.data)
                return answer
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


class DirectS3(LazyClient):
    """URLs of an object's version; all else is the client's."""

    def generate_presigned_url(self, operation: str, **more: Any) -> str:
        wanted = more.get("Params", {})
        url = None
        if operation == "get_object" and wanted.keys() == {"Bucket", "Key", "VersionId"}:
            url = presigned_get(wanted["Bucket"], wanted["Key"], wanted["VersionId"], more["ExpiresIn"])
        return url or str(self._client().generate_presigned_url(operation, **more))
