from __future__ import annotations

import base64
import json
import random
from typing import Any

import pyarrow as pa
import pytest

from session_datasets.domain.limits import KIB, OFFSET_MAX, PAGE_BYTES_MIN, PAGE_ROWS_MAX
from tests.support.moto_cloud import MotoCloud
from tests.support.sessions import Opened, Session, problem_code

ROWS = 25_000


@pytest.fixture
def node(opened: Opened) -> Session:
    return opened(run_id="run-1")


@pytest.fixture
def numbers(node: Session) -> dict[str, object]:
    """A dataset of 25,000 rows: the number, its text, its half."""
    lines = ["number,word,half", *(f"{n},w{n},{n / 2}" for n in range(ROWS))]
    reference: dict[str, object] = node.register("numbers.csv", "\n".join(lines).encode())["reference"]
    return reference


def test_a_page_has_its_rows_and_its_place(node: Session, numbers: dict[str, object]) -> None:
    page = node.call("read_rows", reference=numbers, offset=12_345, limit=2)
    assert page["rows"] == [[12_345, "w12345", 6_172.5], [12_346, "w12346", 6_173.0]]
    placed = {name: page[name] for name in ("offset", "returned", "total", "next_offset", "limit_hit", "clipped")}
    assert placed == {
        "offset": 12_345,
        "returned": 2,
        "total": ROWS,
        "next_offset": 12_347,
        "limit_hit": "rows",
        "clipped": [],
    }


def test_the_last_page_has_no_next(node: Session, numbers: dict[str, object]) -> None:
    page = node.call("read_rows", reference=numbers, offset=ROWS - 3, limit=100)
    assert (page["returned"], page["next_offset"], page["limit_hit"]) == (3, None, None)


@pytest.mark.parametrize("offset", [ROWS, ROWS + 1, OFFSET_MAX])
def test_at_or_past_the_end_is_an_empty_page(node: Session, numbers: dict[str, object], offset: int) -> None:
    page = node.call("read_rows", reference=numbers, offset=offset)
    assert (page["rows"], page["total"], page["next_offset"]) == ([], ROWS, None)


def test_a_page_of_json_has_fewer_rows_than_one_of_arrow_and_the_refusal_says_so(
    node: Session, numbers: dict[str, object]
) -> None:
    refused = node.call("read_rows", reference=numbers, limit=PAGE_ROWS_MAX + 1)
    assert problem_code(refused) == "invalid-request"
    assert refused["problem"]["advice"] == "limit takes 1 to 10,000. With format arrow it takes up to 1,000,000."
    assert refused["problem"]["retry_with"] == {"limit": PAGE_ROWS_MAX}
    page = node.call("read_rows", reference=numbers, limit=PAGE_ROWS_MAX + 1, format="arrow")
    assert page["returned"] == PAGE_ROWS_MAX + 1


def test_an_arrow_page_has_the_rows_of_the_json_page_in_the_registered_types(
    node: Session, numbers: dict[str, object]
) -> None:
    asked = {"reference": numbers, "offset": 12_345, "limit": 3, "columns": ["half", "number"]}
    page, rows = node.call("read_rows", **asked, format="arrow"), node.call("read_rows", **asked)["rows"]
    table = pa.ipc.open_stream(base64.b64decode(page["arrow"])).read_all()
    assert "rows" not in page
    assert [[str(field.type), field.name] for field in table.schema] == [["double", "half"], ["int64", "number"]]
    assert [list(row.values()) for row in table.to_pylist()] == rows
    assert (page["returned"], page["next_offset"], page["total"], page["limit_hit"]) == (3, 12_348, ROWS, "rows")


@pytest.mark.parametrize("max_bytes", [PAGE_BYTES_MIN, 20_000])
def test_an_arrow_page_shrinks_to_its_bytes_in_base64_and_says_so(
    node: Session, numbers: dict[str, object], max_bytes: int
) -> None:
    page = node.call("read_rows", reference=numbers, limit=ROWS, format="arrow", max_bytes=max_bytes)
    assert page["limit_hit"] == "bytes"
    assert 0 < page["returned"] == page["next_offset"] < ROWS
    assert max_bytes / 2 < len(page["arrow"]) <= max_bytes


def test_a_row_that_no_arrow_page_holds_is_refused_and_the_proposed_page_clips_it(node: Session) -> None:
    body = b"id,text\n" + b"1,x\n" * 5 + b"2," + random.Random(1).randbytes(20_000).hex().encode() + b"\n"
    reference = node.register("long.csv", body)["reference"]
    asked = {"reference": reference, "offset": 5, "max_bytes": 2 * PAGE_BYTES_MIN}
    refused = node.call("read_rows", **asked, format="arrow")
    assert problem_code(refused) == "too-large"
    assert node.call("read_rows", **{**asked, **refused["problem"]["retry_with"]})["clipped"]
    before = node.call("read_rows", reference=reference, max_bytes=2 * PAGE_BYTES_MIN, format="arrow")
    assert 1 <= before["returned"] == before["next_offset"] <= 5
    assert before["limit_hit"] == "bytes"


def test_an_unknown_format_is_refused_with_the_field_named(node: Session, numbers: dict[str, object]) -> None:
    refused = node.call("read_rows", reference=numbers, format="csv")
    assert problem_code(refused) == "invalid-request"
    assert refused["problem"]["detail"].startswith("format")


def test_columns_come_in_the_requested_order(node: Session, numbers: dict[str, object]) -> None:
    page = node.call("read_rows", reference=numbers, offset=4, limit=1, columns=["half", "number"])
    assert page["rows"] == [[2.0, 4]]
    assert [column["name"] for column in page["columns"]] == ["half", "number"]


def test_an_unknown_column_is_told_with_near_names(node: Session, numbers: dict[str, object]) -> None:
    refused = node.call("read_rows", reference=numbers, columns=["nubmer"])
    assert problem_code(refused) == "unknown-column"
    assert refused["problem"]["did_you_mean"] == ["number"]


def test_a_column_named_twice_is_refused(node: Session, numbers: dict[str, object]) -> None:
    refused = node.call("read_rows", reference=numbers, columns=["half", "half"])
    assert problem_code(refused) == "invalid-request"


def test_a_page_shrinks_to_its_bytes_and_says_so(node: Session, numbers: dict[str, object]) -> None:
    page = node.call("read_rows", reference=numbers, limit=10_000, max_bytes=PAGE_BYTES_MIN)
    assert page["limit_hit"] == "bytes"
    assert 0 < page["returned"] < 10_000
    assert page["next_offset"] == page["returned"]
    assert len(json.dumps(page["rows"])) <= PAGE_BYTES_MIN


def test_a_row_beyond_the_budget_comes_clipped_and_the_next_page_goes_on(node: Session) -> None:
    body = b"id,text\n1," + b"x" * 100_000 + b"\n2,short\n"
    reference = node.register("long.csv", body)["reference"]
    page = node.call("read_rows", reference=reference, max_bytes=PAGE_BYTES_MIN)
    assert page["returned"] == 1
    assert page["clipped"] == [{"row": 0, "column": 1, "characters": 100_000}]
    assert len(json.dumps(page["rows"])) <= PAGE_BYTES_MIN
    assert node.call("read_rows", reference=reference, offset=page["next_offset"])["rows"] == [[2, "short"]]


def test_the_same_page_twice_is_identical(node: Session, numbers: dict[str, object]) -> None:
    first, second = (node.call("read_rows", reference=numbers, offset=777, limit=9) for _ in range(2))
    assert first["rows"] == second["rows"]


def test_pages_come_from_the_registered_version_after_the_file_was_overwritten(
    node: Session, numbers: dict[str, object]
) -> None:
    node.put("numbers.csv", b"number,word,half\n0,changed,0\n")
    assert node.call("read_rows", reference=numbers, limit=1)["rows"] == [[0, "w0", 0.0]]


def test_a_page_of_a_warm_process_is_one_get_and_asks_no_table(cloud: MotoCloud, node: Session, large: Any) -> None:
    node.call("read_rows", reference=large, limit=1)
    with cloud.counted_requests() as counts:
        page = node.call("read_rows", reference=large, offset=150_000, limit=100)
    assert counts == {"s3.GetObject": 1}
    assert page["s3_requests"] == 1
    assert 0 < page["bytes_read"] <= 256 * KIB


def test_the_first_page_of_a_process_is_one_get_and_one_question_to_the_table(
    cloud: MotoCloud, node: Session, large: Any
) -> None:
    with cloud.counted_requests() as counts:
        page = node.call("read_rows", reference=large, offset=150_000, limit=100)
    assert counts == {"dynamodb.GetItem": 1, "s3.GetObject": 1}
    assert page["s3_requests"] == 1


def test_a_warm_page_by_the_id_alone_asks_no_table_either(cloud: MotoCloud, opened: Opened, node: Session) -> None:
    reference = node.register()["reference"]
    reader = opened(run_id="run-1")
    reader.call("read_rows", reference=reference["artifact_id"])
    with cloud.counted_requests() as counts:
        assert reader.call("read_rows", reference=reference["artifact_id"])["returned"] == 2
    assert counts == {"s3.GetObject": 1}


def test_what_a_process_remembers_is_not_shown_to_a_stranger(opened: Opened, node: Session) -> None:
    reference = node.register()["reference"]
    assert node.call("read_rows", reference=reference)["returned"] == 2
    for stranger in (opened(run_id="run-2"), opened(owner="other", run_id="run-1")):
        for known in (reference, reference["artifact_id"]):
            assert problem_code(stranger.call("read_rows", reference=known)) == "not-found"


@pytest.fixture
def large(node: Session) -> object:
    """200,000 rows that do not compress to nothing."""
    body = b"n,text\n" + b"".join(b"%d,%s\n" % (n, hash_text(n)) for n in range(200_000))
    return node.register("large.csv", body)["reference"]


def hash_text(number: int) -> bytes:
    """Text that does not compress to nothing."""
    return b"%016x" % (number * 0x9E3779B97F4A7C15 % 2**64)
