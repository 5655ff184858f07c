"""The key that signs tokens is made by AWS and seen by nobody."""

from __future__ import annotations

import json

from tests.infrastructure.synthesized import Synthesized


def test_it_is_generated_as_a_first_key_of_64_letters_and_digits(everywhere: Synthesized) -> None:
    generated = everywhere.only("AWS::SecretsManager::Secret")["Properties"]["GenerateSecretString"]
    assert json.loads(generated.pop("SecretStringTemplate")) == {"kid": "k1"}
    assert generated == {"GenerateStringKey": "key", "PasswordLength": 64, "ExcludePunctuation": True}


def test_its_value_is_never_in_the_template(everywhere: Synthesized) -> None:
    assert "SecretString" not in everywhere.only("AWS::SecretsManager::Secret")["Properties"]
    assert "{{resolve:" not in json.dumps(everywhere.template)
