"""The secret that signs access tokens."""

from __future__ import annotations

import json

from aws_cdk import aws_secretsmanager as secretsmanager
from constructs import Construct

from infra.environments import Environment
from infra.nag import acknowledge
from infra.rotation import KEY_CHARACTERS


class SigningKey(secretsmanager.Secret):
    """Generated on the first deploy as ``{"kid": "k1", "key": "…"}``, and known to nobody.

    A rotation stores ``{"current": {kid, key}, "previous": {kid, key}}``; the functions read both shapes.
    """

    def __init__(self, scope: Construct, construct_id: str, *, stack: str, environment: Environment) -> None:
        super().__init__(
            scope,
            construct_id,
            description=f"Signs the access tokens of {stack}",
            generate_secret_string=secretsmanager.SecretStringGenerator(
                secret_string_template=json.dumps({"kid": "k1"}),
                generate_string_key="key",
                password_length=KEY_CHARACTERS,
                exclude_punctuation=True,
            ),
            removal_policy=environment.removal,
        )
        acknowledge(
            self,
            "AwsSolutions-SMG4",
            "Tokens are short-lived and verified by key id against a current and a previous key, so an "
            "operator rotates by storing both; a schedule would need a function that may write the secret.",
        )
