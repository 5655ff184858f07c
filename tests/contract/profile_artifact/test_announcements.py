"""What an upload or a caller announced of a file is checked when it is profiled."""

from __future__ import annotations

import pytest

from tests.contract.profiling import BODY, DONE, SHA256, described
from tests.support.moto_cloud import MotoCloud
from tests.support.sessions import Session


@pytest.mark.parametrize(
    ("announced", "code"), [({"sha256": "0" * 64}, "checksum-mismatch"), ({"rows": 3}, "rows-mismatch")]
)
def test_a_false_announcement_fails_the_artifact(
    cloud: MotoCloud, node: Session, announced: dict[str, object], code: str
) -> None:
    answer = node.register("a.csv", BODY, **announced)
    assert cloud.run_profiling() == [DONE]
    now = described(node, answer)
    assert (now["status"], now["failure"]["code"]) == ("failed", code)
    assert "profile" not in now


def test_a_checksum_that_only_the_upload_announced_is_checked_as_well(cloud: MotoCloud, node: Session) -> None:
    key = f"{node.workspace}datasets/a.csv"
    cloud.s3.put_object(Bucket=cloud.bucket, Key=key, Body=BODY, Metadata={"sha256": "0" * 64})
    answer = node.call("register_artifact", key=key, name="Numbers")
    cloud.run_profiling()
    assert described(node, answer)["failure"]["code"] == "checksum-mismatch"


def test_true_announcements_are_accepted(cloud: MotoCloud, node: Session) -> None:
    answer = node.register("a.csv", BODY, sha256=SHA256, rows=500, size=len(BODY))
    cloud.run_profiling()
    assert described(node, answer)["status"] == "ready"
