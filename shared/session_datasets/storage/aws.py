"""Clients of AWS: how they sign, wait and try again.

boto3 is imported where a client is made: most processes answer their first call without one (``direct_clients.py``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from session_datasets.storage.direct_clients import DirectDynamoDb, DirectS3, DirectSecrets
from session_datasets.storage.lazy_client import LazyClient

if TYPE_CHECKING:
    from botocore.client import BaseClient
    from botocore.config import Config

_AWS_HOSTS = (".amazonaws.com", ".amazonaws.com.cn")
# Presigned URLs of version 2 carry no region and no signed headers, and are what custom endpoints default to.
_S3_SIGNATURE = "s3v4"


def s3() -> DirectS3:
    """For a function: the client behind it is made when it is needed; likewise below."""
    return DirectS3(s3_client)


def dynamodb() -> DirectDynamoDb:
    return DirectDynamoDb(dynamodb_client)


def secrets() -> DirectSecrets:
    return DirectSecrets(secrets_client)


def sqs() -> LazyClient:
    return LazyClient(sqs_client)


def s3_client() -> BaseClient:
    client = _client("s3", signature_version=_S3_SIGNATURE)
    if not client.meta.endpoint_url.endswith(_AWS_HOSTS):
        return client
    # Only with the bucket in the host name does botocore presign for the bucket's own region.
    return _client("s3", signature_version=_S3_SIGNATURE, s3={"addressing_style": "virtual"})


def dynamodb_client() -> BaseClient:
    return _client("dynamodb")


def secrets_client() -> BaseClient:
    return _client("secretsmanager")


def sqs_client() -> BaseClient:
    return _client("sqs")


def _client(service: str, **more: Any) -> BaseClient:
    import boto3

    return boto3.client(service, config=_config(**more))


def _config(signature_version: str = "v4", **more: Any) -> Config:
    from botocore.config import Config

    return Config(
        # Three tries with jitter (botocore's standard mode) stay well inside the shortest function's time.
        retries={"mode": "standard", "total_max_attempts": 3},
        connect_timeout=3,
        read_timeout=20,
        signature_version=signature_version,
        # An upload is checked against the sha256 that its caller announced; S3 checks the PUT of the service itself.
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
        **more,
    )
