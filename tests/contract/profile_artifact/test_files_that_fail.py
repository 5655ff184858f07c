"""Files whose profile fails, and what is left of them."""

from __future__ import annotations

import errno
import random
from unittest.mock import patch

from session_datasets.domain.errors import ProblemCode, Refusal
from tests.contract.profiling import BODY, DONE, described
from tests.support.moto_cloud import MotoCloud
from tests.support.sessions import Session, problem_code


def test_a_damaged_file_fails_at_the_first_try_with_the_reason(cloud: MotoCloud, node: Session) -> None:
    noise = random.Random(5).randbytes(2_000)
    answer = node.register("a.parquet", b"PAR1" + noise + b"PAR1")
    assert cloud.run_profiling() == [DONE]
    now = described(node, answer)
    assert (now["status"], now["failure"]["code"]) == ("failed", "unreadable-file")
    assert now["failure"]["advice"]
    refused = node.call("read_rows", reference=answer["reference"])
    assert problem_code(refused) == "not-a-dataset"
    assert now["failure"]["detail"] in refused["problem"]["detail"]


def test_a_reason_that_quotes_a_secret_of_the_file_is_kept_without_it(cloud: MotoCloud, node: Session) -> None:
    answer = node.register("a.csv", BODY)
    refusal = Refusal(ProblemCode.UNREADABLE_FILE, "Row 2 begins with 'postgres://ana:hunter2@db'; not taken.")
    with patch.object(cloud.wired.service.tables, "lay_out", side_effect=refusal):
        assert cloud.run_profiling() == [DONE]
    assert described(node, answer)["failure"]["detail"] == "Row 2 begins with 'postgres://***@db'; not taken."
    records = cloud.dynamodb.scan(TableName=cloud.table)["Items"]
    assert "postgres" in str(records)
    assert "hunter2" not in str(records)


def test_a_failed_file_lists_and_loads(cloud: MotoCloud, node: Session) -> None:
    answer = node.register("a.csv", BODY, rows=3)
    cloud.run_profiling()
    (item,) = node.call("list_artifacts")["artifacts"]
    assert item["status"] == "failed"
    assert "download" in node.call("load_artifact", reference=answer["reference"])


def test_a_file_that_fills_the_disk_of_a_run_fails_with_advice(cloud: MotoCloud, node: Session) -> None:
    answer = node.register("a.csv", BODY)
    with patch.object(
        cloud.wired.service.tables, "lay_out", side_effect=OSError(errno.ENOSPC, "No space left on device")
    ):
        assert cloud.run_profiling() == [DONE]
    failure = described(node, answer)["failure"]
    assert (failure["code"], "Parquet" in failure["advice"]) == ("too-large", True)


def test_a_file_deleted_before_it_was_read_fails_as_missing(cloud: MotoCloud, node: Session) -> None:
    answer = node.register("a.csv", BODY)
    location = answer["reference"]
    cloud.s3.delete_object(Bucket=cloud.bucket, Key=location["key"], VersionId=location["version_id"])
    cloud.run_profiling()
    assert described(node, answer)["failure"]["code"] == "file-missing"


def test_a_failed_file_that_is_registered_again_is_answered_as_failed(cloud: MotoCloud, node: Session) -> None:
    key = node.put("a.csv", BODY)
    node.call("register_artifact", key=key, name="n", rows=3)
    cloud.run_profiling()
    again = node.call("register_artifact", key=key, name="n", rows=3)
    assert (again["status"], again["created"], again["failure"]["code"]) == ("failed", False, "rows-mismatch")
    assert cloud.waiting_messages() == 0
