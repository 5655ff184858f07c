"""Ranged reads of objects at a fraction of what a call of the S3 client takes.

A page is one small GET, and the client's own work on it (building, signing, sending and parsing a request) takes more
processor time than reading and encoding the page does. Here a URL is presigned once for each version of an object, good
for any range of it, and used for a while, in the name of the caller for whom it was made only. Whatever is not the
plain success (an error, a short body, a lost connection, expired credentials) is asked again through the client, which
knows how to try again and what an error means.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING

from session_datasets.domain.scope import Scope
from session_datasets.storage.connections import straight, trusting
from session_datasets.storage.narrowing import acting_scope
from session_datasets.storage.range_connections import RangeConnections

if TYPE_CHECKING:
    from botocore.client import BaseClient

# Seconds a URL is valid for, and those after which a new one is made: a read that begins in time ends in time.
_VALID_SECONDS = 900
_USED_SECONDS = 300
_URLS_HELD = 512


class RangedGets:
    """Reads of one bucket. ``seconds`` is a clock; it need not tell the time of day."""

    def __init__(self, s3: BaseClient, bucket: str, seconds: Callable[[], float] = time.time) -> None:
        self._s3 = s3
        self._bucket = bucket
        self._seconds = seconds
        self._urls: OrderedDict[tuple[Scope | None, str, str], tuple[str | None, float]] = OrderedDict()
        self._connections = RangeConnections(trusting)

    def get(self, key: str, version_id: str, first: int, last: int) -> tuple[bytes, int]:
        """The bytes from ``first`` to ``last``, both included, and the requests that it took: one, rarely two.

        Raises what the client raises.
        """
        url = self._url(key, version_id)
        body = self._quickly(url, first, last) if url else None
        if body is not None:
            return body, 1
        found = self._s3.get_object(Bucket=self._bucket, Key=key, VersionId=version_id, Range=f"bytes={first}-{last}")
        return bytes(found["Body"].read()), 2 if url else 1

    def _quickly(self, url: str, first: int, last: int) -> bytes | None:
        """None for whatever the client has to look into."""
        return self._connections.get(url, first, last)

    def _url(self, key: str, version_id: str) -> str | None:
        """None where S3 is reached through a proxy: the client knows how."""
        now = self._seconds()
        place = (acting_scope(), key, version_id)
        url, made_at = self._urls.get(place, (None, float("-inf")))
        if now - made_at > _USED_SECONDS:
            url = self._signed(key, version_id) if straight() else None
            self._urls[place] = (url, now)
            while len(self._urls) > _URLS_HELD:
                self._urls.popitem(last=False)
        return url

    def _signed(self, key: str, version_id: str) -> str:
        wanted = {"Bucket": self._bucket, "Key": key, "VersionId": version_id}
        return str(self._s3.generate_presigned_url("get_object", Params=wanted, ExpiresIn=_VALID_SECONDS))
