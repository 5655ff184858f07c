"""An account that can not be asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from infra.local.__main__ import main


def test_without_credentials_nothing_is_compared_and_the_reason_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "AWS_DEFAULT_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    assert main(["compare", "--env", "sandbox"]) == 1
    told = capsys.readouterr().err
    assert told == (
        "Could not see whether session-datasets stands already: Unable to locate credentials. Set AWS_PROFILE, or "
        "AWS_REGION and credentials as for the AWS command line; renew credentials or a sign-in that has expired.\n"
    )
