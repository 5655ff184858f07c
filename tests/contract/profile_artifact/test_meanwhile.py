"""What readers get while a file is profiled, and who may ask for it."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import pytest

from session_datasets.domain.names import NODE_VERBS, Verb
from tests.contract.profiling import BODY, SHA256, described
from tests.support.moto_cloud import MotoCloud
from tests.support.sessions import Opened, Session, problem_code


@pytest.mark.parametrize(("verb", "more"), [("read_rows", {}), ("read_columns", {"columns": ["number"]})])
def test_a_reader_is_told_to_wait(node: Session, verb: str, more: dict[str, object]) -> None:
    refused = node.call(verb, reference=node.register("a.csv", BODY)["reference"], **more)
    assert problem_code(refused) == "still-profiling"
    assert refused["problem"]["retryable"] is True


def test_the_file_loads_already_under_the_announced_checksum(cloud: MotoCloud, node: Session) -> None:
    answer = node.register("a.csv", BODY, sha256=SHA256)
    loaded = node.call("load_artifact", reference=answer["reference"])
    assert (loaded["sha256"], "download" in loaded) == (SHA256, True)


def test_the_checksum_is_measured_at_once_when_nobody_announced_one(node: Session) -> None:
    assert described(node, node.register("a.csv", BODY))["sha256"] == SHA256


def test_the_checksum_that_the_upload_announced_spares_reading_the_file(cloud: MotoCloud, node: Session) -> None:
    key = f"{node.workspace}datasets/a.csv"
    cloud.s3.put_object(Bucket=cloud.bucket, Key=key, Body=BODY, Metadata={"sha256": SHA256})
    with patch.object(cloud.wired.service.files, "chunks", side_effect=AssertionError("the file was read")):
        answer = node.call("register_artifact", key=key, name="Numbers")
    assert described(node, answer)["sha256"] == SHA256


def test_progress_is_kept_in_the_record_and_told_to_readers(cloud: MotoCloud, node: Session) -> None:
    answer = node.register("a.csv", BODY)
    seen: list[dict[str, Any]] = []
    lay_out = cloud.wired.service.tables.lay_out

    def looking(*arguments: Any) -> Any:
        table = lay_out(*arguments)
        seen.append(described(node, answer)["progress"])
        seen.append(node.call("read_rows", reference=answer["reference"])["problem"])
        return table

    with (
        patch.object(cloud.wired.service.tables, "lay_out", looking),
        patch("session_datasets.operations.progress._FIRST_SECONDS", 0.0),
    ):
        cloud.run_profiling()
    assert (seen[0]["stage"], seen[0]["bytes"], seen[0]["rows"]) == ("laying_out", len(BODY), 500)
    assert "laying out, 500 rows so far" in seen[1]["detail"]


def test_no_token_names_the_verb(opened: Opened, cloud: MotoCloud) -> None:
    assert Verb.PROFILE_ARTIFACT not in NODE_VERBS
    refused = cloud.call("open_session", {"owner": "acme", "run_id": "r", "verbs": ["profile_artifact"]})
    assert problem_code(refused) == "invalid-request"


def test_another_owner_does_not_see_it_while_it_is_profiled(node: Session, opened: Opened) -> None:
    answer = node.register("a.csv", BODY)
    stranger = opened(owner="other", run_id="run-1")
    for verb in ("describe_artifact", "read_rows", "load_artifact"):
        assert problem_code(stranger.call(verb, reference=answer["reference"])) == "not-found"
