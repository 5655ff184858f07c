"""Clients of AWS: how they sign, wait and try again."""

from __future__ import annotations

import boto3
from botocore.client import BaseClient
from botocore.config import Config

# Three tries with jitter (botocore's standard mode) stay well inside the shortest function's time.
_CONFIG = Config(
    retries={"mode": "standard", "total_max_attempts": 3},
    connect_timeout=3,
    read_timeout=20,
    # Presigned URLs of version 2 carry no region and no signed headers, and are what custom endpoints default to.
    signature_version="s3v4",
    # An upload is checked against the sha256 that its caller announced; S3 checks the PUT of the service itself.
    request_checksum_calculation="when_required",
    response_checksum_validation="when_required",
)

_AWS_HOSTS = (".amazonaws.com", ".amazonaws.com.cn")


def s3_client() -> BaseClient:
    client = boto3.client("s3", config=_CONFIG)
    if not client.meta.endpoint_url.endswith(_AWS_HOSTS):
        return client
    # Only with the bucket in the host name does botocore presign for the bucket's own region.
    return boto3.client("s3", config=_CONFIG.merge(Config(s3={"addressing_style": "virtual"})))


def sqs_client() -> BaseClient:
    return boto3.client("sqs", config=_CONFIG.merge(Config(signature_version="v4")))


def dynamodb_client() -> BaseClient:
    return boto3.client("dynamodb", config=_CONFIG.merge(Config(signature_version="v4")))
