from __future__ import annotations

import base64
import hashlib
import io
from typing import Any

import pytest
import urllib3
from botocore.awsrequest import AWSResponse

from session_datasets.domain.limits import SINGLE_UPLOAD_BYTES_MAX, UPLOAD_BYTES_MAX, UPLOAD_PART_BYTES
from tests.support.moto_cloud import MotoCloud
from tests.support.sessions import Opened, Session, problem_code

BODY = b"a,b\n1,x\n"
SHA = hashlib.sha256(BODY).hexdigest()


@pytest.fixture
def node(opened: Opened) -> Session:
    return opened(run_id="run-1")


def prepared(node: Session, **changes: Any) -> dict[str, Any]:
    return node.call("prepare_upload", **{"file_name": "a.csv", "size": len(BODY), "sha256": SHA, **changes})


def test_a_small_file_is_one_put_into_the_own_workspace(cloud: MotoCloud, node: Session) -> None:
    plan = prepared(node)
    assert plan["key"] == f"{node.workspace}datasets/a.csv"
    put = plan["put"]
    answer = urllib3.request(put["method"], put["url"], body=BODY, headers=put["headers"])
    assert answer.status == 200
    assert cloud.s3.get_object(Bucket=cloud.bucket, Key=plan["key"])["Body"].read() == BODY


def test_length_and_both_forms_of_the_checksum_are_part_of_the_signature(node: Session) -> None:
    put = prepared(node)["put"]
    assert "X-Amz-SignedHeaders=content-length%3Bhost%3Bx-amz-checksum-sha256%3Bx-amz-meta-sha256&" in put["url"]
    assert put["headers"] == {
        "Content-Length": str(len(BODY)),
        "x-amz-meta-sha256": SHA,
        "x-amz-checksum-sha256": base64.b64encode(hashlib.sha256(BODY).digest()).decode(),
    }


def test_a_file_of_the_largest_single_upload_is_one_put_and_one_byte_more_is_parts(node: Session) -> None:
    assert "put" in prepared(node, size=SINGLE_UPLOAD_BYTES_MAX)
    plan = prepared(node, size=SINGLE_UPLOAD_BYTES_MAX + 1)
    assert "put" not in plan
    assert [(part["number"], part["offset"], part["size"]) for part in plan["parts"]] == [
        (1, 0, UPLOAD_PART_BYTES),
        (2, UPLOAD_PART_BYTES, SINGLE_UPLOAD_BYTES_MAX + 1 - UPLOAD_PART_BYTES),
    ]
    assert plan["complete"]["method"] == "POST"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("file_name", "../a.csv"),
        ("file_name", ""),
        ("file_name", "a/b.csv"),
        ("file_name", "Umsätze.csv"),
        ("size", -1),
        ("size", UPLOAD_BYTES_MAX + 1),
        ("sha256", "abc"),
        ("sha256", SHA.upper()),
        ("upload_id", ""),
        ("upload_id", "u" * 1_025),
        ("replace", "yes"),
    ],
)
def test_a_field_out_of_bounds_is_named(node: Session, field: str, value: object) -> None:
    refused = prepared(node, **{field: value})
    assert problem_code(refused) == "invalid-request"
    assert refused["problem"]["detail"].startswith(field)


def test_an_unsafe_name_is_answered_with_a_safe_one(node: Session) -> None:
    assert prepared(node, file_name="Umsätze 2026.csv")["problem"]["retry_with"] == {"file_name": "Ums_tze 2026.csv"}


def sent(request: dict[str, Any], body: bytes) -> urllib3.BaseHTTPResponse:
    return urllib3.request(request["method"], request["url"], body=body, headers=request["headers"])


class TestParts:
    """A file of two parts: one of the full size and one byte."""

    BODY = b"a" * (UPLOAD_PART_BYTES + 1)

    def prepared(self, node: Session, **changes: Any) -> dict[str, Any]:
        return prepared(node, size=len(self.BODY), sha256=hashlib.sha256(self.BODY).hexdigest(), **changes)

    def put(self, plan: dict[str, Any], number: int) -> str:
        part = plan["parts"][number - 1]
        reply = sent(part["request"], self.BODY[part["offset"] : part["offset"] + part["size"]])
        assert reply.status == 200
        return f"<Part><PartNumber>{number}</PartNumber><ETag>{reply.headers['ETag']}</ETag></Part>"

    def test_parts_of_two_answers_with_one_upload_id_join(self, cloud: MotoCloud, node: Session) -> None:
        first = self.prepared(node)
        second = self.prepared(node, upload_id=first["upload_id"])
        assert (second["key"], second["upload_id"]) == (first["key"], first["upload_id"])
        parts = self.put(first, 1) + self.put(second, 2)
        joined = f"<CompleteMultipartUpload>{parts}</CompleteMultipartUpload>"
        assert sent(second["complete"], joined.encode()).status == 200
        assert cloud.s3.get_object(Bucket=cloud.bucket, Key=first["key"])["Body"].read() == self.BODY

    def test_without_an_upload_id_every_answer_is_an_upload_of_its_own(self, node: Session) -> None:
        assert self.prepared(node)["upload_id"] != self.prepared(node)["upload_id"]

    def test_an_upload_id_of_another_workspace_does_not_lead_there(self, opened: Opened, node: Session) -> None:
        theirs = self.prepared(opened(run_id="run-2"))
        ours = self.prepared(node, upload_id=theirs["upload_id"])
        assert ours["key"].startswith(node.workspace)
        assert all(f"/{ours['key']}?" in part["request"]["url"] for part in ours["parts"])


class TestPresent:
    @pytest.fixture
    def there(self, node: Session) -> str:
        """The version id of BODY at a.csv, as uploaded."""
        return sent(prepared(node)["put"], BODY).headers["x-amz-version-id"]

    def test_a_file_that_is_there_is_not_sent_again(self, node: Session, there: str) -> None:
        again = prepared(node)
        assert again == {
            "v": 1,
            "key": f"{node.workspace}datasets/a.csv",
            "parts": [],
            "present": True,
            "version_id": there,
        }

    @pytest.mark.parametrize(
        "changes", [{"file_name": "b.csv"}, {"size": len(BODY) + 1}, {"sha256": "0" * 64}, {"replace": True}]
    )
    def test_another_name_size_or_checksum_or_the_wish_to_replace_is_an_upload(
        self, node: Session, there: str, changes: dict[str, Any]
    ) -> None:
        plan = prepared(node, **changes)
        assert (plan["present"], "put" in plan, "version_id" in plan) == (False, True, False)

    def test_only_the_newest_version_counts(self, node: Session, there: str) -> None:
        node.put("a.csv", b"other")
        assert prepared(node)["present"] is False

    def test_a_deleted_file_is_sent_again(self, cloud: MotoCloud, node: Session, there: str) -> None:
        cloud.s3.delete_object(Bucket=cloud.bucket, Key=f"{node.workspace}datasets/a.csv")
        assert prepared(node)["present"] is False

    def test_a_file_that_announced_nothing_is_sent_again(self, node: Session) -> None:
        node.put("a.csv", BODY)
        assert prepared(node)["present"] is False

    def test_a_role_that_may_not_list_is_told_to_upload_what_is_not_there(
        self, cloud: MotoCloud, node: Session
    ) -> None:
        """S3 answers 403 to its HEAD of a missing object; here every HEAD is answered so."""

        def forbidden(**_: Any) -> AWSResponse:
            return AWSResponse("", 403, {}, urllib3.HTTPResponse(io.BytesIO(), preload_content=False))

        cloud.s3.meta.events.register("before-send.s3.HeadObject", forbidden)
        try:
            plan = prepared(node)
        finally:
            cloud.s3.meta.events.unregister("before-send.s3.HeadObject", forbidden)
        assert "put" in plan

    def test_another_session_of_the_run_does_not_see_it(self, opened: Opened, there: str) -> None:
        assert prepared(opened(run_id="run-1"))["present"] is False
