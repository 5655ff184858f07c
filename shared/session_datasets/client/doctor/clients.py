"""Clients of AWS for an examination: those of a shell, with its own credentials or with ones that were put on."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from typing import Any

from session_datasets.client.errors import ConfigurationError


def client_of(service: str, keys: Mapping[str, str] | None = None, profile: str | None = None) -> Any:
    """With ``keys``; else with those of ``profile``; else with those that every AWS SDK finds.

    Raises ConfigurationError when there is no such profile.
    """
    # Imported late: only an examination needs boto3 itself.
    from botocore.config import Config

    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or None
    session = _session(region, profile)
    config = Config(retries={"mode": "standard", "total_max_attempts": 3}, connect_timeout=5, read_timeout=60)
    return session.client(service, config=config, **(keys or {}))


@cache
def _session(region: str | None, profile: str | None) -> Any:
    """One for many clients: each would read the descriptions of all services anew."""
    import boto3
    from botocore.exceptions import ProfileNotFound

    try:
        return boto3.session.Session(region_name=region, profile_name=profile)
    except ProfileNotFound as error:
        raise ConfigurationError(f"{error}.", "Name a profile of your AWS configuration.") from None
