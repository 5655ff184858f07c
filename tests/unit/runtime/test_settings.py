from __future__ import annotations

import pytest

from session_datasets.domain import names
from session_datasets.runtime.settings import Settings

COMPLETE = {
    names.ENV_STACK: "sd",
    names.ENV_SIGNING_KEY: "arn:key",
    names.ENV_BUCKET: "bucket",
    names.ENV_TABLE: "table",
    names.ENV_CALLER_ROLE: "arn:role",
}


def test_settings_come_from_the_environment() -> None:
    assert Settings.from_environment(COMPLETE) == Settings("sd", "arn:key", "bucket", "table", caller_role="arn:role")


@pytest.mark.parametrize("name", [names.ENV_STACK, names.ENV_SIGNING_KEY, names.ENV_CALLER_ROLE])
def test_a_missing_variable_is_named(name: str) -> None:
    with pytest.raises(RuntimeError, match=name):
        Settings.from_environment({**COMPLETE, name: ""})


def test_what_nobody_calls_needs_no_signing_key() -> None:
    settings = Settings.from_environment({**COMPLETE, names.ENV_SIGNING_KEY: ""}, verifies_tokens=False)
    assert settings.signing_key_secret == ""


def test_the_queue_and_the_bound_of_a_call_come_from_the_environment() -> None:
    environment = {**COMPLETE, names.ENV_PROFILE_QUEUE: "https://queue", names.ENV_PROFILED_AT_ONCE_BYTES: "7"}
    settings = Settings.from_environment(environment)
    assert (settings.profile_queue, settings.profiled_at_once_bytes) == ("https://queue", 7)


def test_what_works_with_no_data_needs_no_caller_role() -> None:
    settings = Settings.from_environment({names.ENV_STACK: "sd", names.ENV_SIGNING_KEY: "arn:key"})
    assert settings.caller_role == ""
