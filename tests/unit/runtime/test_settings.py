from __future__ import annotations

import pytest

from session_datasets.domain import names
from session_datasets.runtime.settings import Settings

COMPLETE = {
    names.ENV_STACK: "sd",
    names.ENV_SIGNING_KEY: "arn:key",
    names.ENV_BUCKET: "bucket",
    names.ENV_TABLE: "table",
}


def test_settings_come_from_the_environment() -> None:
    assert Settings.from_environment(COMPLETE) == Settings("sd", "arn:key", "bucket", "table")


@pytest.mark.parametrize("name", [names.ENV_STACK, names.ENV_SIGNING_KEY])
def test_a_missing_variable_is_named(name: str) -> None:
    with pytest.raises(RuntimeError, match=name):
        Settings.from_environment({**COMPLETE, name: ""})
