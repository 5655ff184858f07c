"""Clients of an emulator that a test started itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import boto3
from botocore.config import Config

from infra.local.emulator import Emulator
from infra.local.surroundings import ACCESS_KEY, REGION, SECRET_KEY

Client = Callable[[str], Any]


def clients_of(emulator: Emulator) -> Client:
    """Clients of the emulator's account, by the service's name; a call that fails is not repeated."""

    trust = str(emulator.certificate) if emulator.certificate else None

    def make(service: str) -> Any:
        return boto3.client(
            service,
            endpoint_url=emulator.endpoint,
            verify=trust,
            region_name=REGION,
            aws_access_key_id=ACCESS_KEY,
            aws_secret_access_key=SECRET_KEY,
            config=Config(read_timeout=60, retries={"total_max_attempts": 1}),
        )

    return make
