"""The keyring in Secrets Manager, cached for a few minutes so that a rotation reaches every function soon."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools.utilities import parameters

from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.keyring import Keyring, SigningKey

_CACHED_SECONDS = 300


def keyring_from_secret(secret_name: str) -> Keyring:
    """The keyring that the secret holds; fetched at most once in _CACHED_SECONDS per process."""
    try:
        secret = parameters.get_secret(secret_name, transform="json", max_age=_CACHED_SECONDS)
    except parameters.GetParameterError as error:
        raise Refusal(
            ProblemCode.UNAVAILABLE, "The service could not fetch its signing key; nothing was done."
        ) from error
    return parsed_keyring(secret)


def parsed_keyring(secret: Mapping[str, Any]) -> Keyring:
    """``{"kid", "key"}`` as the stack generates it, or ``{"current": {…}, "previous": {…}}`` after a rotation."""
    if "current" not in secret:
        return Keyring(_parsed_key(secret))
    previous = secret.get("previous")
    return Keyring(_parsed_key(secret["current"]), _parsed_key(previous) if previous else None)


def _parsed_key(entry: Mapping[str, Any]) -> SigningKey:
    return SigningKey(kid=str(entry["kid"]), secret=str(entry["key"]))
