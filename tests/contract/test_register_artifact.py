from __future__ import annotations

import gzip
import hashlib
import json
from unittest.mock import patch

import pytest

from session_datasets.domain.artifact import ARTIFACT_ID_PREFIX
from session_datasets.domain.limits import (
    DESCRIPTION_CHARACTERS_MAX,
    LAMBDA_REPLY_BYTES_MAX,
    LINEAGE_MAX,
    NAME_CHARACTERS_MAX,
    PAGE_BYTES_MAX,
)
from tests.support.moto_cloud import MotoCloud
from tests.support.sessions import Opened, Session, problem_code

BODY = b"day,amount\n2026-01-01,10\n2026-01-02,20\n"


@pytest.fixture
def node(opened: Opened) -> Session:
    return opened(run_id="run-1")


def records(cloud: MotoCloud) -> list[str]:
    """Sort keys of everything that sessions have in the table; leases lie with their run."""
    found = cloud.dynamodb.scan(TableName=cloud.table)["Items"]
    return sorted(item["artifact_id"]["S"] for item in found if "#runs#" not in item["owner_session"]["S"])


def test_the_answer_holds_a_reference_and_the_measured_profile(node: Session) -> None:
    answer = node.register("sales.csv", BODY, name="Sales")
    assert answer["status"] == "ready"
    assert answer["created"] is True
    assert answer["format"] == "csv"
    assert answer["kind"] == "table"
    assert answer["profile"]["shape"] == {"rows": 2, "columns": 2}
    assert [column["name"] for column in answer["profile"]["columns"]] == ["day", "amount"]
    assert answer["reference"]["artifact_id"] == answer["artifact_id"]
    assert answer["reference"]["key"] == f"{node.workspace}datasets/sales.csv"


@pytest.mark.parametrize(
    ("file_name", "body", "format_name"),
    [
        ("a.csv", b"a,b\n1,x\n2,y\n", "csv"),
        ("a.csv.gz", gzip.compress(b"a,b\n1,x\n2,y\n", mtime=0), "csv"),
        ("a.json", b'[{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]', "json"),
        ("a.jsonl", b'{"a": 1, "b": "x"}\n{"a": 2, "b": "y"}\n', "json_lines"),
    ],
)
def test_each_format_is_known_by_its_bytes(node: Session, file_name: str, body: bytes, format_name: str) -> None:
    answer = node.register(file_name, body)
    assert answer["format"] == format_name
    assert answer["profile"]["shape"] == {"rows": 2, "columns": 2}


def test_a_file_without_rows_lists_and_loads_but_does_not_page_and_says_so(node: Session) -> None:
    answer = node.register("picture.png", b"\x89PNG\r\n\x1a\n" + bytes(64))
    assert (answer["format"], answer["kind"]) == ("other", "other")
    assert "profile" not in answer
    assert answer["note"]
    assert node.listed() == [answer["artifact_id"]]
    assert "download" in node.call("load_artifact", reference=answer["reference"])
    refused = node.call("read_rows", reference=answer["reference"])
    assert problem_code(refused) == "not-a-dataset"
    assert refused["problem"]["detail"] == answer["note"]


def test_the_rows_are_not_in_the_answer_beyond_the_preview(node: Session) -> None:
    body = b"a\n" + b"".join(b"secret-cell-%d\n" % number for number in range(1_000))
    answer = node.register("a.csv", body)
    assert len(answer["profile"]["preview"]["rows"]) == 5
    assert "secret-cell-500" not in str(answer)


# --- retries -------------------------------------------------------------------------------------------------


def test_registering_twice_finds_the_first(cloud: MotoCloud, node: Session) -> None:
    key = node.put("a.csv", BODY)
    first = node.call("register_artifact", key=key, name="Sales")
    again = node.call("register_artifact", key=key, name="Sales")
    assert again == {**first, "created": False}
    assert records(cloud) == [first["artifact_id"]]


def test_changed_content_is_a_new_artifact_and_the_old_one_stays_readable(node: Session) -> None:
    first = node.register("a.csv", b"a\n1\n", name="Sales")
    second = node.register("a.csv", b"a\n2\n", name="Sales")
    assert first["artifact_id"] != second["artifact_id"]
    assert node.call("read_rows", reference=first["reference"])["rows"] == [[1]]
    assert node.call("read_rows", reference=second["reference"])["rows"] == [[2]]


def test_another_name_for_the_same_file_is_another_artifact(node: Session) -> None:
    key = node.put("a.csv", BODY)
    ids = {node.call("register_artifact", key=key, name=name)["artifact_id"] for name in ("Sales", "Income")}
    assert len(ids) == 2


def test_a_request_token_makes_a_retry_recognisable(node: Session) -> None:
    body = {"key": node.put("a.csv", BODY), "name": "Sales", "request_token": "t-1"}
    first = node.call("register_artifact", **body)
    node.put("a.csv", b"a\n9\n")
    assert node.call("register_artifact", **body) == {**first, "created": False}


def test_a_request_token_is_kept_of_a_known_registration_as_well(node: Session) -> None:
    body = {"key": node.put("a.csv", BODY), "name": "Sales"}
    node.call("register_artifact", **body)
    assert node.call("register_artifact", **body, request_token="t-1")["created"] is False
    refused = node.call("register_artifact", **{**body, "name": "Income"}, request_token="t-1")
    assert problem_code(refused) == "request-token-conflict"


# --- declared values are checked ----------------------------------------------------------------------------


def test_true_declarations_are_accepted(node: Session) -> None:
    answer = node.register("a.csv", BODY, size=len(BODY), sha256=hashlib.sha256(BODY).hexdigest(), rows=2)
    assert answer["created"] is True


@pytest.mark.parametrize(
    ("declared", "code"),
    [
        ({"size": len(BODY) + 1}, "size-mismatch"),
        ({"sha256": "0" * 64}, "checksum-mismatch"),
        ({"rows": 3}, "rows-mismatch"),
    ],
)
def test_false_ones_are_refused_and_nothing_is_registered(
    cloud: MotoCloud, node: Session, declared: dict[str, object], code: str
) -> None:
    assert problem_code(node.register("a.csv", BODY, **declared)) == code
    assert records(cloud) == []


@pytest.mark.parametrize(
    ("declared", "code"), [({"sha256": "0" * 64}, "checksum-mismatch"), ({"rows": 3}, "rows-mismatch")]
)
def test_false_ones_are_refused_of_a_known_registration_as_well(
    node: Session, declared: dict[str, object], code: str
) -> None:
    key = node.put("a.csv", BODY)
    node.call("register_artifact", key=key, name="Sales")
    assert problem_code(node.call("register_artifact", key=key, name="Sales", **declared)) == code


def test_rows_announced_of_a_file_that_has_none_are_refused(node: Session) -> None:
    assert problem_code(node.register("a.png", b"\x89PNG\r\n\x1a\n" + bytes(64), rows=7)) == "rows-mismatch"


def test_a_file_deleted_while_it_is_read_is_missing_and_nothing_is_registered(cloud: MotoCloud, node: Session) -> None:
    key = node.put("a.csv", BODY)
    find = cloud.wired.service.files.find

    def find_and_delete(key: str, version_id: str | None = None) -> object:
        found = find(key, version_id)
        assert found is not None
        cloud.s3.delete_object(Bucket=cloud.bucket, Key=key, VersionId=found.version_id)
        return found

    with patch.object(cloud.wired.service.files, "find", find_and_delete):
        assert problem_code(node.call("register_artifact", key=key, name="Sales")) == "file-missing"
    assert records(cloud) == []


# --- bad input ----------------------------------------------------------------------------------------------


def test_a_missing_file_is_told_with_near_names(node: Session) -> None:
    node.put("sales.csv", BODY)
    refused = node.call("register_artifact", key=f"{node.workspace}datasets/slaes.csv", name="Sales")
    assert problem_code(refused) == "file-not-found"
    assert refused["problem"]["did_you_mean"] == [f"{node.workspace}datasets/sales.csv"]


def test_near_names_never_come_from_another_workspace(node: Session, opened: Opened) -> None:
    opened(run_id="run-1").put("sales.csv", BODY)
    refused = node.call("register_artifact", key=f"{node.workspace}datasets/slaes.csv", name="Sales")
    assert "did_you_mean" not in refused["problem"]


@pytest.mark.parametrize(
    ("file_name", "body", "code"),
    [
        ("empty.csv", b"", "empty-file"),
        ("binary.csv", bytes(range(256)) * 16, "unreadable-file"),
        ("picture.csv", b"\x89PNG\r\n\x1a\n" + bytes(64), "unreadable-file"),
        ("cut.parquet", b"PAR1" + bytes(100), "unreadable-file"),
        ("cut.csv.gz", gzip.compress(BODY * 100, mtime=0)[:-20], "unreadable-file"),
        ("cut.json", b'[{"a": 1}, {"a": ', "unreadable-file"),
    ],
)
def test_a_file_that_is_not_what_it_seems_is_refused_and_never_half_registered(
    cloud: MotoCloud, node: Session, file_name: str, body: bytes, code: str
) -> None:
    assert problem_code(node.register(file_name, body)) == code
    assert records(cloud) == []
    assert node.listed() == []


def test_a_wrong_suffix_does_not_matter_when_the_bytes_are_a_table(node: Session) -> None:
    assert node.register("really.parquet", BODY)["format"] == "csv"


def test_a_header_alone_is_a_dataset_of_no_rows(node: Session) -> None:
    answer = node.register("a.csv", b"day,amount\n")
    assert answer["profile"]["shape"] == {"rows": 0, "columns": 2}
    assert node.call("read_rows", reference=answer["reference"])["rows"] == []


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", ""),
        ("name", "   "),
        ("name", "n" * (NAME_CHARACTERS_MAX + 1)),
        ("name", "n" * 1_000_000),
        ("description", "d" * (DESCRIPTION_CHARACTERS_MAX + 1)),
        ("kind", "picture"),
        ("lineage", ["not-an-id"]),
        ("lineage", [ARTIFACT_ID_PREFIX + "0" * 26] * (LINEAGE_MAX + 1)),
        ("size", -1),
        ("size", "12"),
        ("sha256", "xyz"),
        ("request_token", ""),
        ("key", 7),
    ],
)
def test_a_field_beyond_its_bounds_is_named(node: Session, field: str, value: object) -> None:
    refused = node.call("register_artifact", **{"key": f"{node.workspace}datasets/a.csv", "name": "n", field: value})
    assert problem_code(refused) == "invalid-request"
    assert refused["problem"]["detail"].startswith(field)
    assert len(str(refused)) < 2_000


def test_a_name_of_the_longest_kind_is_kept_whole(node: Session) -> None:
    assert node.register("a.csv", BODY, name="ü" * NAME_CHARACTERS_MAX)["name"] == "ü" * NAME_CHARACTERS_MAX


# --- lineage ------------------------------------------------------------------------------------------------


def test_lineage_is_kept(node: Session) -> None:
    source = node.register("a.csv", BODY)["artifact_id"]
    derived = node.register("b.csv", BODY, lineage=[source])
    assert node.call("describe_artifact", reference=derived["reference"])["lineage"] == [source]


def test_lineage_that_can_not_be_reached_is_refused(node: Session, opened: Opened) -> None:
    foreign = opened(run_id="run-2").register("a.csv", BODY)["artifact_id"]
    assert problem_code(node.register("b.csv", BODY, lineage=[foreign])) == "not-found"


# --- wide tables --------------------------------------------------------------------------------------------


def test_a_wide_table_registers_with_a_bounded_profile_and_describes_whole(cloud: MotoCloud, node: Session) -> None:
    names = [f"column_{number}" for number in range(2_000)]
    body = (",".join(names) + "\n" + ",".join(["1"] * 2_000) + "\n").encode()
    answer = node.register("wide.csv", body)
    profile = answer["profile"]
    assert profile["shape"]["columns"] == 2_000
    assert len(profile["columns"]) + profile["columns_omitted"] == 2_000
    assert len(str(answer)) < 48_000
    described = node.call("describe_artifact", reference=answer["reference"])["profile"]
    assert [column["name"] for column in described["columns"]] == names
    items = cloud.dynamodb.scan(TableName=cloud.table)["Items"]
    assert 10_000 < max(len(str(item)) for item in items) < 100_000


def test_a_table_whose_header_no_page_could_carry_lists_and_loads_but_does_not_page(node: Session) -> None:
    row = {f"{'x' * 250}{number}": number for number in range(5_000)}
    answer = node.register("names.jsonl", json.dumps(row).encode())
    assert (answer["format"], "profile" in answer) == ("other", False)
    assert "names and types" in answer["note"]


def test_a_header_of_almost_a_megabyte_pages_below_the_reply_limit(node: Session) -> None:
    names = [f"{'x' * 290}{number}" for number in range(3_000)]
    body = (",".join(names) + "\n" + (",".join(["1"] * 3_000) + "\n") * 80).encode()
    reference = node.register("wide.csv", body)["reference"]
    page = node.call("read_rows", reference=reference, limit=10_000, max_bytes=PAGE_BYTES_MAX)
    assert len(json.dumps(page)) < LAMBDA_REPLY_BYTES_MAX
    assert page["limit_hit"] == "cells"
