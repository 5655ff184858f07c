"""Ranged reads of objects at a fraction of what a call of the S3 client takes.

A page is one small GET, and the client's own work on it (building, signing, sending and parsing a request) takes more
processor time than reading and encoding the page does. Here a URL is presigned once for each version of an object, good
for any range of it, and used for a while. Whatever is not the plain success (an error, a short body, a lost connection,
expired credentials) is asked again through the client, which knows how to try again and what an error means.
"""

from __future__ import annotations

import os
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from urllib.request import getproxies

import urllib3
from botocore.client import BaseClient
from botocore.httpsession import get_cert_path

_PARTIAL_CONTENT = 206
# Seconds a URL is valid for, and those after which a new one is made: a read that begins in time ends in time.
_VALID_SECONDS = 900
_USED_SECONDS = 300
_URLS_HELD = 512
_TIMEOUT = urllib3.Timeout(connect=3, read=20)
# As many connections as boto3 keeps.
_CONNECTIONS = 10


class RangedGets:
    """Reads of one bucket. ``seconds`` is a clock; it need not tell the time of day."""

    def __init__(self, s3: BaseClient, bucket: str, seconds: Callable[[], float] = time.time) -> None:
        self._s3 = s3
        self._bucket = bucket
        self._seconds = seconds
        self._urls: OrderedDict[tuple[str, str], tuple[str, float]] = OrderedDict()
        self._pool = urllib3.PoolManager(
            _CONNECTIONS, maxsize=_CONNECTIONS, retries=False, timeout=_TIMEOUT, ca_certs=_certificates()
        )

    def get(self, key: str, version_id: str, first: int, last: int) -> tuple[bytes, int]:
        """The bytes from ``first`` to ``last``, both included, and the requests that it took: one, rarely two.

        Raises what the client raises.
        """
        bytes_range = f"bytes={first}-{last}"
        straight = _straight()
        body = self._quickly(key, version_id, bytes_range) if straight else None
        if body is not None and len(body) == last - first + 1:
            return body, 1
        found = self._s3.get_object(Bucket=self._bucket, Key=key, VersionId=version_id, Range=bytes_range)
        return bytes(found["Body"].read()), 2 if straight else 1

    def _quickly(self, key: str, version_id: str, bytes_range: str) -> bytes | None:
        """None for whatever the client has to look into."""
        with suppress(urllib3.exceptions.HTTPError):
            answer = self._pool.request("GET", self._url(key, version_id), headers={"Range": bytes_range})
            if answer.status == _PARTIAL_CONTENT:
                return answer.data
        return None

    def _url(self, key: str, version_id: str) -> str:
        now = self._seconds()
        url, made_at = self._urls.get((key, version_id), ("", float("-inf")))
        if now - made_at > _USED_SECONDS:
            wanted = {"Bucket": self._bucket, "Key": key, "VersionId": version_id}
            url = self._s3.generate_presigned_url("get_object", Params=wanted, ExpiresIn=_VALID_SECONDS)
            self._urls[key, version_id] = (url, now)
            while len(self._urls) > _URLS_HELD:
                self._urls.popitem(last=False)
        return url


def _straight() -> bool:
    """Whether S3 is reached without a proxy; the client knows what to do if not."""
    return getproxies().keys().isdisjoint(("http", "https", "all"))


def _certificates() -> str:
    """Those that the client trusts: named by the variable that every AWS SDK reads, or botocore's own."""
    return os.environ.get("AWS_CA_BUNDLE") or str(get_cert_path(verify=True))
