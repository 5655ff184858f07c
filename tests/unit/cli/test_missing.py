"""What a person is shown of an artifact whose file is gone."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.audited import Audited
from tests.support.moto_cloud import MotoCloud
from tests.unit.cli.shell import Shell


@pytest.fixture
def missing(cloud: MotoCloud, shell: Shell, artifact_id: str) -> dict[str, Any]:
    """The listed artifact, once an audit has heard of the deletion."""
    reference = shell.json("describe", artifact_id)["reference"]
    cloud.s3.delete_object(Bucket=cloud.bucket, Key=reference["key"], VersionId=reference["version_id"])
    audited = Audited(cloud)
    assert audited.deliver(audited.news(reference["key"], reference["version_id"])) == []
    cloud.restart()
    (listed,) = shell.json("list")["artifacts"]
    return dict(listed)


def test_a_listing_shows_the_status_where_the_format_would_stand(shell: Shell, missing: dict[str, Any]) -> None:
    assert missing["status"] == "missing"
    assert " missing " in shell.run("list").stdout


def test_the_description_says_what_is_gone(shell: Shell, missing: dict[str, Any]) -> None:
    assert "its file has been deleted" in shell.run("describe", missing["artifact_id"]).stdout


@pytest.mark.parametrize("command", ["rows", "load"])
def test_who_wants_the_data_is_told_so(shell: Shell, missing: dict[str, Any], command: str) -> None:
    result = shell.run(command, missing["artifact_id"])
    assert result.exit_code == 1
    assert "has been deleted since it was registered" in " ".join(result.stderr.split())
