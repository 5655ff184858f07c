"""Rows materialized into a session's workspace, with the whole service behind it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from session_datasets.client.errors import EndedError, NotFoundError
from session_datasets.materialize import WorkspaceBackend, materialize_result
from session_datasets.materialize.refusals import SourceFailedError, UnwritableRowError
from tests.support.moto_cloud import MotoCloud

ROWS = [(n, f"name {n}", n / 4) for n in range(1_000)]
COLUMNS = ["id", "name", "value"]


@pytest.mark.parametrize("fmt", ["csv", "parquet"])
def test_the_file_is_registered_in_the_same_call_and_pages(cloud: MotoCloud, fmt: str) -> None:
    workspace = cloud.open(run_id="run-1")
    result = materialize_result(COLUMNS, iter(ROWS), workspace, fmt=fmt)
    assert result.reference is not None
    page = cloud.open(run_id="run-1", node="next").read_rows(result.reference, offset=998, limit=5)
    assert (page.total, page.rows) == (1_000, [[998, "name 998", 249.5], [999, "name 999", 249.75]])
    assert f"Registered as {result.reference.artifact_id}." in result.to_summary()


def test_the_service_counts_the_same_numbers(cloud: MotoCloud) -> None:
    workspace = cloud.open()
    result = materialize_result(COLUMNS, ROWS, workspace)
    assert result.reference is not None
    profile = workspace.describe_artifact(result.reference).profile
    assert profile is not None
    measured = {column.name: found for column, found in zip(profile.columns, profile.statistics, strict=True)}
    for name, stats in result.stats.items():
        found = measured[name]
        assert (float(str(found.min)), float(str(found.max)), found.mean) == (stats["min"], stats["max"], stats["mean"])


def test_with_and_without_a_name_it_lies_below_the_conversations_prefix(cloud: MotoCloud) -> None:
    workspace = cloud.open(owner="acme", conversation_id="talk")
    named = materialize_result(["a"], [(1,)], workspace, filename="x.csv")
    unnamed = materialize_result(["a"], [(1,)], workspace)
    assert named.path == "acme/conversations/talk/datasets/x.csv"
    assert unnamed.path.startswith("acme/conversations/talk/datasets/result_")
    assert unnamed.path.endswith(".csv")


def test_an_incomplete_file_says_so_in_its_artifacts_description(cloud: MotoCloud) -> None:
    workspace = cloud.open()
    place = WorkspaceBackend(workspace, description="All sales.")
    part = materialize_result(COLUMNS, ROWS, place, max_bytes=1_000)
    whole = materialize_result(COLUMNS, ROWS, place)
    assert part.reference is not None
    assert whole.reference is not None
    told = workspace.describe_artifact(part.reference).description
    assert told == f"Incomplete: ended after {part.row_count} rows by a budget of 1,000 bytes. All sales."
    assert workspace.describe_artifact(whole.reference).description == "All sales."


def test_the_service_counts_as_many_rows_as_the_result_says(cloud: MotoCloud) -> None:
    workspace = cloud.open()
    for fmt in ("csv", "parquet"):
        result = materialize_result(COLUMNS, ROWS, workspace, fmt=fmt, max_bytes=6_000)
        assert result.reference is not None
        assert result.truncated
        found = workspace.describe_artifact(result.reference)
        assert found.profile is not None
        assert (found.profile.shape.rows, found.size) == (result.row_count, result.bytes)


def test_a_name_that_is_taken_is_a_new_version_and_the_old_one_stays(cloud: MotoCloud) -> None:
    workspace = cloud.open()
    first = materialize_result(["a"], [(1,)], workspace, filename="x.csv")
    second = materialize_result(["a"], [(2,)], workspace, filename="x.csv")
    assert first.reference is not None
    assert second.reference is not None
    assert first.path == second.path
    assert first.reference.artifact_id != second.reference.artifact_id
    assert workspace.read_rows(first.reference).rows == [[1]]
    assert workspace.read_rows(second.reference).rows == [[2]]


def test_a_name_beyond_ascii_is_kept_as_the_artifacts_name(cloud: MotoCloud) -> None:
    workspace = cloud.open()
    result = materialize_result(["a"], [(1,)], workspace, filename="Übersicht.csv")
    assert result.reference is not None
    assert workspace.describe_artifact(result.reference).name == "Übersicht.csv"


def registered(cloud: MotoCloud) -> list[str]:
    return [each.name for each in cloud.open().list_artifacts()]


def stored(cloud: MotoCloud) -> int:
    return int(cloud.s3.list_objects_v2(Bucket=cloud.bucket)["KeyCount"])


def failing() -> Iterator[Any]:
    yield from ROWS
    raise TimeoutError("the database went away")


@pytest.mark.parametrize("fmt", ["csv", "parquet"])
def test_a_source_that_fails_midway_leaves_no_file_and_no_record(cloud: MotoCloud, fmt: str) -> None:
    with pytest.raises(SourceFailedError) as failed:
        materialize_result(COLUMNS, failing(), cloud.open(), fmt=fmt)
    assert failed.value.rows_read == 1_000
    assert (registered(cloud), stored(cloud)) == ([], 0)


def test_a_row_that_can_not_be_written_leaves_no_file_and_no_record(cloud: MotoCloud) -> None:
    with pytest.raises(UnwritableRowError):
        materialize_result(["a"], [(1,), (1, 2)], cloud.open())
    assert (registered(cloud), stored(cloud)) == ([], 0)


def test_a_workspace_that_refuses_says_why_and_nothing_is_registered(cloud: MotoCloud) -> None:
    workspace = cloud.open(run_id="run-9")
    cloud.orchestrator().end_run("run-9", owner="acme", release_leases=True)
    with pytest.raises(EndedError) as refused:
        materialize_result(["a"], [(1,)], workspace, filename="x.csv")
    assert "'x.csv' was not saved." in refused.value.__notes__
    assert stored(cloud) == 0


def test_nothing_is_asked_of_the_service_before_the_rows_are_written(cloud: MotoCloud) -> None:
    workspace = cloud.open()
    with cloud.counted_requests() as counts, pytest.raises(SourceFailedError):
        materialize_result(COLUMNS, failing(), workspace)
    assert counts == {}


@pytest.mark.parametrize("fmt", ["csv", "parquet"])
def test_no_rows_register_as_a_dataset_of_none(cloud: MotoCloud, fmt: str) -> None:
    workspace = cloud.open()
    result = materialize_result(["a", "b"], [], workspace, fmt=fmt)
    assert result.reference is not None
    page = workspace.read_rows(result.reference)
    assert (page.total, [column.name for column in page.columns], page.rows) == (0, ["a", "b"], [])


ODD = ["", None, "a,b", 'say "x"', "two\nlines", "cr\rhere", "=1+1", " blank ", "数", "\U0001f600"]


@pytest.mark.parametrize("fmt", ["csv", "parquet"])
def test_odd_texts_come_back_from_a_page_as_they_were(cloud: MotoCloud, fmt: str) -> None:
    workspace = cloud.open()
    result = materialize_result(["n", "text"], list(enumerate(ODD)), workspace, fmt=fmt)
    assert result.reference is not None
    assert workspace.read_rows(result.reference).rows == [[n, text] for n, text in enumerate(ODD)]


@pytest.mark.parametrize("text", ["a;b", "a\tb", "a|b", "a b"])
def test_a_lone_column_of_texts_that_look_like_columns_stays_one(cloud: MotoCloud, text: str) -> None:
    workspace = cloud.open()
    result = materialize_result([text], [(text,)] * 20, workspace)
    assert result.reference is not None
    page = workspace.read_rows(result.reference, limit=1)
    assert ([column.name for column in page.columns], page.total, page.rows) == ([text], 20, [[text]])


@pytest.mark.parametrize(("fmt", "kept"), [("csv", "nul\ufffdhere"), ("parquet", "nul\0here")])
def test_a_nul_is_kept_by_parquet_and_told_of_by_csv(cloud: MotoCloud, fmt: str, kept: str) -> None:
    workspace = cloud.open()
    result = materialize_result(["n", "text"], [(1, "nul\0here")], workspace, fmt=fmt)
    assert result.reference is not None
    assert workspace.read_rows(result.reference).rows == [[1, kept]]


# All but NUL and the ends of lines, among them those that make a small text look like binary data.
CONTROLS = [chr(code) for code in range(1, 32) if chr(code) not in "\r\n"]


@pytest.mark.parametrize("columns", [["text"], ["text", "\x01name"]], ids=["one column", "two columns"])
def test_control_characters_come_back_from_a_page_as_they_were(cloud: MotoCloud, columns: list[str]) -> None:
    workspace = cloud.open()
    rows = [[each] * len(columns) for each in CONTROLS]
    result = materialize_result(columns, rows, workspace)
    assert result.reference is not None
    page = workspace.read_rows(result.reference)
    assert ([column.name for column in page.columns], page.rows) == (columns, rows)


def test_control_characters_need_no_hints_in_a_file_that_is_registered_later(cloud: MotoCloud, tmp_path: Path) -> None:
    result = materialize_result(["text"], [[each] for each in CONTROLS], tmp_path, filename="rows.csv")
    workspace = cloud.open()
    reference = workspace.register_artifact(Path(result.path)).reference
    assert workspace.read_rows(reference).rows == [[each] for each in CONTROLS]


def test_a_stranger_is_not_told_of_it(cloud: MotoCloud) -> None:
    result = materialize_result(["a"], [(1,)], cloud.open())
    assert result.reference is not None
    with pytest.raises(NotFoundError):
        cloud.open(owner="other").read_rows(result.reference)


def test_the_next_node_loads_the_file_by_its_reference_alone(cloud: MotoCloud, tmp_path: Path) -> None:
    result = materialize_result(["a"], [(1,), (2,)], cloud.open(run_id="run-1"))
    reference = json.dumps(result.to_json()["reference"])
    path = cloud.open(run_id="run-1", node="next", directory=tmp_path).load_artifact(reference)
    assert path.read_bytes() == b"a\r\n1\r\n2\r\n"


def test_a_cursor_of_a_database_is_read_as_far_as_the_budget_goes(cloud: MotoCloud) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (n INTEGER, x REAL)")
    connection.executemany("INSERT INTO t VALUES (?, ?)", [(n, n / 2) for n in range(10_000)])
    cursor = connection.execute("SELECT n, x FROM t ORDER BY n")
    result = materialize_result([each[0] for each in cursor.description], cursor, cloud.open(), max_bytes=5_000)
    # The row that did not fit was pulled; the cursor goes on behind it.
    assert next(cursor)[0] == result.row_count + 1
    connection.close()
