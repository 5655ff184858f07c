"""HTTP for presigned requests. Certificates and proxies are those that the AWS clients of this process use."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from io import RawIOBase
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass
from xml.etree import ElementTree

import urllib3
from urllib3.response import BaseHTTPResponse

from session_datasets.client.deadline import seconds_of_a_request
from session_datasets.client.errors import TransferError
from session_datasets.domain.limits import KIB
from session_datasets.wire.answers import PresignedPart

# Parts that travel beside each other; more of them do not fill a node's network any better.
PARALLEL_REQUESTS = 4
# Seconds without a byte before a connection counts as broken.
_CONNECT_SECONDS = 10
_READ_SECONDS = 60
_BLOCK_BYTES = 256 * KIB
# S3's own names for "send that again"; all of them come with status 400.
_TRANSIENT_CODES = frozenset({"RequestTimeout", "BadDigest", "IncompleteBody"})
_ERROR_BYTES_READ = 64 * KIB
_SIGNATURE = "X-Amz-Signature"


@dataclass(frozen=True, slots=True)
class Reply:
    headers: Mapping[str, str]
    body: bytes


class FileHttp:
    """Sends presigned requests; every failure is a TransferError whose text knows neither URL nor query."""

    def __init__(self) -> None:
        self._pools: dict[str | None, urllib3.PoolManager] = {}
        self._lock = threading.Lock()
        _silence_urls()

    def send(
        self, request: PresignedPart, *, body: RawIOBase | bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Reply:
        """One request with its whole answer."""
        with self.stream(request, body=body, headers=headers) as response:
            return Reply(response.headers, response.read(decode_content=False))

    @contextmanager
    def stream(
        self, request: PresignedPart, *, body: RawIOBase | bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Iterator[BaseHTTPResponse]:
        """The answer with its body still to read, for a status below 300."""
        try:
            response = self._pool(request.url).request(
                request.method,
                request.url,
                body=body,
                headers={**request.headers, "Accept-Encoding": "identity", **(headers or {})},
                timeout=_timeout(),
                retries=False,
                redirect=False,
                preload_content=False,
            )
            try:
                if response.status >= 300:
                    raise _refused(response)
                yield response
            finally:
                response.close()
        except (urllib3.exceptions.HTTPError, OSError) as error:
            if isinstance(error, OSError) and error.errno is not None and not isinstance(error, ConnectionError):
                raise  # the local disk's, not the network's
            # The library's own text quotes the URL, which is a permission.
            raise TransferError(f"The connection to the storage broke ({type(error).__name__}).") from None

    def _pool(self, url: str) -> urllib3.PoolManager:
        proxy = _proxy_for(url)
        with self._lock:
            if proxy not in self._pools:
                self._pools[proxy] = _new_pool(proxy)
            return self._pools[proxy]


def retryable(error: Exception) -> bool:
    """Whether the same request may succeed a moment later."""
    if not isinstance(error, TransferError) or error.final:
        return False
    return error.status in (None, 408, 429) or error.status >= 500 or error.code in _TRANSIENT_CODES


def _timeout() -> urllib3.Timeout:
    return urllib3.Timeout(connect=seconds_of_a_request(_CONNECT_SECONDS), read=seconds_of_a_request(_READ_SECONDS))


def _new_pool(proxy: str | None) -> urllib3.PoolManager:
    # Kept at one pool per host; blocksize is how much of a file goes into one write.
    options: dict[str, Any] = {
        "maxsize": PARALLEL_REQUESTS,
        "blocksize": _BLOCK_BYTES,
        "ca_certs": os.environ.get("AWS_CA_BUNDLE") or os.environ.get("REQUESTS_CA_BUNDLE") or None,
    }
    if proxy is None:
        return urllib3.PoolManager(**options)
    return urllib3.ProxyManager(proxy, **options)


def _proxy_for(url: str) -> str | None:
    parts = urlsplit(url)
    if proxy_bypass(parts.hostname or ""):
        return None
    return getproxies().get(parts.scheme)


def _refused(response: BaseHTTPResponse) -> TransferError:
    """The storage's refusal; of its text only the code is kept, for the rest may quote the signed request."""
    body = response.read(_ERROR_BYTES_READ, decode_content=False)
    code, message = error_in(body)
    expired = "expired" in message.lower() or code == "ExpiredToken"
    return TransferError(
        f"The storage refused the transfer (status {response.status}{', ' + code if code else ''}).",
        "The file may have changed while it was sent; try again when it is complete." if code == "BadDigest" else "",
        status=response.status,
        code=code,
        expired=expired,
    )


def error_in(body: bytes) -> tuple[str, str]:
    """Code and message of an S3 error document; empty texts when the body is none."""
    try:
        root = ElementTree.fromstring(body)
    except ElementTree.ParseError:
        return "", ""
    if root.tag.rpartition("}")[2] != "Error":
        return "", ""
    return root.findtext("Code") or "", root.findtext("Message") or ""


class _WithoutSignedUrls(logging.Filter):
    """urllib3 logs every request line at DEBUG; a signed one is a permission."""

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(
                value.partition("?")[0] if isinstance(value, str) and _SIGNATURE in value else value
                for value in record.args
            )
        return True


_FILTER = _WithoutSignedUrls()


def _silence_urls() -> None:
    logging.getLogger("urllib3.connectionpool").addFilter(_FILTER)
