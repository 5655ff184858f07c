"""The steps of a rotation of the signing key: ``python -m infra.rotation announce|use|retire``, secret in, secret out.

Functions look at the secret every five minutes, each at its own time. So a key is made known to all of them before any
of them signs with it, and stays known until the last token that it signed has ended.
"""

from __future__ import annotations

import json
import secrets
import sys
from collections.abc import Callable, Mapping
from typing import Any

# 64 letters and digits are 381 bits; HMAC-SHA-256 gains nothing beyond 256. It stands here, and not where the secret is
# made, so that a rotation needs no CDK library and no Node.js.
KEY_CHARACTERS = 64

Secret = dict[str, Any]


class WrongStep(Exception):
    """The secret is not as the step before leaves it; it was not changed."""


def announce(secret: Mapping[str, Any]) -> Secret:
    """A new key is accepted and not used yet. It stands where the previous one did, which must have been retired."""
    if secret.get("previous"):
        raise WrongStep("another rotation is not over: retire its previous key first")
    current = secret.get("current", secret)
    number = int(current["kid"].removeprefix("k"))
    # Two characters for each byte.
    new = {"kid": f"k{number + 1}", "key": secrets.token_hex(KEY_CHARACTERS // 2)}
    return {"current": dict(current), "previous": new}


def use(secret: Mapping[str, Any]) -> Secret:
    """The new key signs; what the old one signed is still accepted."""
    current, other = _both(secret)
    if _number(other) < _number(current):
        raise WrongStep("the newer key is in use already")
    return {"current": other, "previous": current}


def retire(secret: Mapping[str, Any]) -> Secret:
    """The old key is accepted no more: whoever still holds a token of it has to open a new session."""
    current, other = _both(secret)
    if _number(other) > _number(current):
        raise WrongStep("the newer key is not in use yet")
    return {"current": current}


STEPS: Mapping[str, Callable[[Mapping[str, Any]], Secret]] = {"announce": announce, "use": use, "retire": retire}


def _both(secret: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, str]]:
    if not secret.get("previous"):
        raise WrongStep("there is one key only: announce a new one first")
    return secret["current"], secret["previous"]


def _number(key: Mapping[str, str]) -> int:
    return int(key["kid"].removeprefix("k"))


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or arguments[0] not in STEPS:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        print(json.dumps(STEPS[arguments[0]](json.load(sys.stdin))))
    except WrongStep as error:
        print(f"Nothing was changed: {error}.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
