from __future__ import annotations

import hashlib
from typing import Any

import pytest
import urllib3

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


def test_length_and_checksum_are_part_of_the_signature(node: Session) -> None:
    url = prepared(node)["put"]["url"]
    assert "X-Amz-SignedHeaders=content-length%3Bhost%3Bx-amz-meta-sha256" in url


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
    ],
)
def test_a_field_out_of_bounds_is_named(node: Session, field: str, value: object) -> None:
    refused = prepared(node, **{field: value})
    assert problem_code(refused) == "invalid-request"
    assert refused["problem"]["detail"].startswith(field)


def test_an_unsafe_name_is_answered_with_a_safe_one(node: Session) -> None:
    assert prepared(node, file_name="Umsätze 2026.csv")["problem"]["retry_with"] == {"file_name": "Ums_tze 2026.csv"}
