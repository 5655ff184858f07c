"""Texts in Secrets Manager."""

from __future__ import annotations

from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from session_datasets.domain.errors import ProblemCode, Refusal


def secret_text(secrets: Any, name: str) -> str:
    """What the secret of this name or ARN holds now. Refusal ``unavailable`` when it can not be fetched."""
    try:
        return str(secrets.get_secret_value(SecretId=name)["SecretString"])
    except (BotoCoreError, ClientError) as error:
        raise Refusal(
            ProblemCode.UNAVAILABLE, "The service could not fetch its signing key; nothing was done."
        ) from error
