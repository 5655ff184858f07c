"""Clients of AWS: how they sign, wait and try again.

boto3 is imported where a client is made: most processes answer their first call without one (``direct_clients.py``).
"""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any

from session_datasets.storage import deadline
from session_datasets.storage.direct_clients import DirectDynamoDb, DirectS3, DirectSecrets, DirectSts
from session_datasets.storage.lazy_client import LazyClient
from session_datasets.storage.narrowing import CallerKeys, boto_credentials, put_on_with
from session_datasets.storage.signing import function_keys

if TYPE_CHECKING:
    import boto3
    from botocore.client import BaseClient
    from botocore.config import Config

_AWS_HOSTS = (".amazonaws.com", ".amazonaws.com.cn")
# Presigned URLs of version 2 carry no region and no signed headers, and are what custom endpoints default to.
_S3_SIGNATURE = "s3v4"


def caller_keys(role: str) -> CallerKeys:
    """The keys of whoever is acted for, by putting on ``role``."""
    return CallerKeys(role, put_on_with(DirectSts(sts_client, function_keys)))


def s3(keys: CallerKeys) -> DirectS3:
    """For a function, on a caller's data: the client behind it is made when it is needed; likewise below."""
    return DirectS3(partial(s3_client, keys), keys)


def dynamodb(keys: CallerKeys) -> DirectDynamoDb:
    return DirectDynamoDb(partial(dynamodb_client, keys), keys)


def own_s3() -> LazyClient:
    """For a function, in nobody's name: what its own role may see; likewise below."""
    return LazyClient(s3_client)


def own_dynamodb() -> LazyClient:
    return LazyClient(dynamodb_client)


def secrets() -> DirectSecrets:
    return DirectSecrets(secrets_client, function_keys)


def sqs() -> LazyClient:
    return LazyClient(sqs_client)


def events() -> LazyClient:
    return LazyClient(events_client)


def s3_client(keys: CallerKeys | None = None) -> BaseClient:
    """With the process's own credentials when there are no ``keys``; likewise below."""
    client = _client("s3", keys, signature_version=_S3_SIGNATURE)
    if not client.meta.endpoint_url.endswith(_AWS_HOSTS):
        return client
    # Only with the bucket in the host name does botocore presign for the bucket's own region.
    return _client("s3", keys, signature_version=_S3_SIGNATURE, s3={"addressing_style": "virtual"})


def dynamodb_client(keys: CallerKeys | None = None) -> BaseClient:
    return _client("dynamodb", keys)


def secrets_client() -> BaseClient:
    return _client("secretsmanager")


def sqs_client() -> BaseClient:
    return _client("sqs")


def events_client() -> BaseClient:
    return _client("events")


def sts_client() -> BaseClient:
    return _client("sts")


def _client(service: str, keys: CallerKeys | None = None, **more: Any) -> BaseClient:
    import boto3

    maker = boto3 if keys is None else _session(keys)
    return deadline.keep(maker.client(service, config=_config(**more)))


@cache
def _session(keys: CallerKeys) -> boto3.Session:
    """One whose clients sign each request with the keys of whoever is acted for then."""
    import boto3
    import botocore.session
    from botocore.credentials import CredentialResolver

    class Narrowed:
        METHOD = "caller-role"

        def load(self) -> Any:
            return boto_credentials(keys)

    session = botocore.session.get_session()
    session.register_component("credential_provider", CredentialResolver([Narrowed()]))
    return boto3.Session(botocore_session=session)


def _config(signature_version: str = "v4", **more: Any) -> Config:
    from botocore.config import Config

    return Config(
        # Three tries with jitter (botocore's standard mode), as far as the call's time goes (``deadline.py``).
        retries={"mode": "standard", "total_max_attempts": 3},
        connect_timeout=deadline.CONNECT_SECONDS,
        read_timeout=deadline.READ_SECONDS,
        signature_version=signature_version,
        # An upload is checked against the sha256 that its caller announced; S3 checks the PUT of the service itself.
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
        **more,
    )
