"""Connections to AWS that are not a client's: how they trust, wait and are kept."""

from __future__ import annotations

import os
import ssl
from functools import cache
from urllib.request import getproxies

import urllib3
from botocore.httpsession import get_cert_path
from urllib3.util.ssl_ import create_urllib3_context

from session_datasets.storage.deadline import CONNECT_SECONDS, read_seconds

# As many connections as boto3 keeps.
_CONNECTIONS = 10


def connections(secure: bool = True) -> urllib3.PoolManager:
    """A pool that tries once: whoever asks through it knows whom to ask again. Emulators do without ``secure``."""
    context = trusting() if secure else None
    return urllib3.PoolManager(_CONNECTIONS, maxsize=_CONNECTIONS, retries=False, ssl_context=context)


def timeout() -> urllib3.Timeout:
    """Of one request that begins now. OutOfTime when none may."""
    return urllib3.Timeout(connect=CONNECT_SECONDS, read=read_seconds())


def straight() -> bool:
    """Whether AWS is reached without a proxy; the client knows what to do if not."""
    return getproxies().keys().isdisjoint(("http", "https", "all"))


@cache
def trusting() -> ssl.SSLContext:
    """One for all hosts: to read the certificates takes longer than to read a page, and urllib3 would read them anew
    for each connection."""
    context = create_urllib3_context()
    context.load_verify_locations(_certificates())
    return context


def _certificates() -> str:
    """Those that the client trusts: named by the variable that every AWS SDK reads, or botocore's own."""
    return os.environ.get("AWS_CA_BUNDLE") or str(get_cert_path(verify=True))
