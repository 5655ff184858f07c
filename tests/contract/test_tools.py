"""The tools on the whole service: what a model is told of real files, and what it is never told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from session_datasets import Workspace
from session_datasets.tools import Budgets, ToolAnswer, Toolbox, tokens_of
from session_datasets.tools.answers import json_text
from tests.support.moto_cloud import MotoCloud

ROWS = 1_000


@pytest.fixture
def workspace(cloud: MotoCloud, tmp_path: Path) -> Workspace:
    directory = tmp_path / "work"
    directory.mkdir()
    lines = [f"{n},{n * n},row {n}" for n in range(ROWS)]
    (directory / "squares.csv").write_text("n,square,name\n" + "\n".join(lines) + "\n")
    return cloud.open(directory=directory)


@pytest.fixture
def box(workspace: Workspace) -> Toolbox:
    return Toolbox(workspace)


@pytest.fixture
def squares(box: Toolbox) -> str:
    return str(_done(box, "register_artifact", path="squares.csv", description="n and n*n")["artifact_id"])


def _done(box: Toolbox, tool: str, **arguments: Any) -> dict[str, Any]:
    answer = box.call(tool, arguments)
    assert not answer.is_error, answer.text
    return answer.structured


def test_a_registration_tells_shape_and_columns_and_no_row(box: Toolbox) -> None:
    answer = box.call("register_artifact", {"path": "squares.csv"})
    assert answer.structured["rows"] == ROWS
    assert answer.structured["columns"] == [["n", "int64"], ["square", "int64"], ["name", "string"]]
    assert "row 1" not in answer.text


def test_the_same_file_again_is_the_same_artifact_and_is_said_so(box: Toolbox, squares: str) -> None:
    answer = box.call("register_artifact", {"path": "squares.csv", "description": "n and n*n"})
    assert answer.structured["artifact_id"] == squares
    assert answer.text.startswith("Already registered")


def test_what_another_session_of_the_conversation_registered_is_found(
    cloud: MotoCloud, squares: str, tmp_path: Path
) -> None:
    later = Toolbox(cloud.open(directory=tmp_path))
    found = _done(later, "list_artifacts", name_contains="squar")["artifacts"]
    assert found == [[squares, "squares.csv", f"csv {ROWS}x3", "n and n*n"]]


def test_a_listing_goes_on_at_its_cursor_to_the_last_artifact(box: Toolbox, workspace: Workspace) -> None:
    for number in range(7):
        (workspace.directory / f"f{number}.csv").write_text(f"n\n{number}\n")
        _done(box, "register_artifact", path=f"f{number}.csv")
    seen, cursor = [], None
    for _ in range(4):
        page = _done(box, "list_artifacts", limit=2, cursor=cursor)
        seen += [row[1] for row in page["artifacts"]]
        cursor = page.get("next_cursor")
    assert sorted(seen) == [f"f{number}.csv" for number in range(7)]
    assert cursor is None


def test_an_empty_workspace_says_so(cloud: MotoCloud, tmp_path: Path) -> None:
    answer = Toolbox(cloud.open(conversation_id="empty", directory=tmp_path)).call("list_artifacts")
    assert answer.text == "Nothing is registered yet."


def test_pages_of_rows_join_to_the_whole_dataset(box: Toolbox, squares: str) -> None:
    rows, offset = [], 0
    while offset is not None:
        page = _done(box, "read_rows", artifact_id=squares, offset=offset, limit=1_000)
        rows += page["rows"]
        offset = page.get("next_offset")
    assert rows == [[n, n * n, f"row {n}"] for n in range(ROWS)]


def test_a_page_fits_its_budget_and_tells_the_next_offset(workspace: Workspace, squares: str) -> None:
    answer = Toolbox(workspace, budgets=Budgets(rows=300)).call("read_rows", {"artifact_id": squares, "limit": 1_000})
    assert answer.tokens <= 300
    shown = len(answer.structured["rows"])
    assert answer.structured["next_offset"] == shown
    assert f"... {ROWS - shown} more rows; call read_rows with offset {shown}" in answer.text
    assert answer.tokens > 200


def test_only_a_pages_worth_of_bytes_comes_over_the_wire(
    cloud: MotoCloud, workspace: Workspace, squares: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[dict[str, Any]] = []
    call = cloud.call
    monkeypatch.setattr(cloud, "call", lambda verb, body: asked.append(call(verb, body)) or asked[-1])
    box = Toolbox(cloud.open(directory=workspace.directory), budgets=Budgets(rows=400))
    _done(box, "read_rows", artifact_id=squares, limit=1_000)
    pages = [each for each in asked if "rows" in each]
    assert len(pages) == 1
    assert len(json.dumps(pages[0]["rows"])) <= 400 * 4 * 2


def test_past_the_end_there_are_no_rows_and_it_is_said_so(box: Toolbox, squares: str) -> None:
    answer = box.call("read_rows", {"artifact_id": squares, "offset": 5_000})
    assert not answer.is_error
    assert answer.structured["rows"] == []
    assert "past the last of 1,000 rows" in answer.text


def test_columns_come_in_the_order_asked_for(box: Toolbox, squares: str) -> None:
    page = _done(box, "read_rows", artifact_id=squares, columns=["name", "n"], limit=1)
    assert page["columns"] == ["name", "n"]
    assert page["rows"] == [["row 0", 0]]


def test_a_wide_table_tells_leading_columns_and_any_other_by_name(workspace: Workspace) -> None:
    names = [f"c{number}" for number in range(2_000)]
    path = workspace.directory / "wide.csv"
    path.write_text(",".join(names) + "\n" + ",".join(str(number) for number in range(2_000)) + "\n")
    box = Toolbox(workspace)
    wide = _done(box, "register_artifact", path="wide.csv")["artifact_id"]
    page = box.call("read_rows", {"artifact_id": wide})
    assert page.tokens <= Budgets().rows
    shown = page.structured["columns"]
    assert shown == names[: len(shown)]
    assert page.structured["rows"] == [list(range(len(shown)))]
    assert page.structured["columns_left_out"] == 2_000 - len(shown)
    assert _done(box, "read_rows", artifact_id=wide, columns=["c1999"])["rows"] == [[1999]]


def test_a_series_tells_least_and_greatest_of_every_stretch(box: Toolbox, squares: str) -> None:
    told = _done(box, "read_columns", artifact_id=squares, columns=["square"], max_points=8)
    assert told["method"] == "min_max"
    [square] = told["columns"]
    assert square["min"][0] == 0
    assert square["max"][-1] == (ROWS - 1) ** 2
    assert len(square["min"]) + len(square["max"]) <= 8


def test_a_short_window_of_a_series_is_told_value_by_value(box: Toolbox, squares: str) -> None:
    told = _done(box, "read_columns", artifact_id=squares, columns=["square"], offset=10, rows=3)
    assert told["columns"] == [{"name": "square", "values": [100, 121, 144]}]


def test_a_load_tells_where_the_file_is_and_nothing_of_it(box: Toolbox, workspace: Workspace, squares: str) -> None:
    told = _done(box, "load_artifact", artifact_id=squares, to="copies/of.csv")
    assert told["path"] == "copies/of.csv"
    copied = workspace.directory / told["path"]
    assert copied.read_bytes() == (workspace.directory / "squares.csv").read_bytes()


@pytest.mark.parametrize("to", ["../out.csv", "/out.csv"])
def test_a_load_never_leaves_the_working_directory(box: Toolbox, squares: str, to: str) -> None:
    answer = box.call("load_artifact", {"artifact_id": squares, "to": to})
    assert answer.is_error
    assert "working directory" in answer.text


def test_a_file_without_rows_says_what_to_do_instead_of_reading(box: Toolbox, workspace: Workspace) -> None:
    (workspace.directory / "report.pdf").write_bytes(b"%PDF-1.7 " + bytes(range(256)))
    report = _done(box, "register_artifact", path="report.pdf")["artifact_id"]
    answer = box.call("read_rows", {"artifact_id": report})
    assert answer.is_error
    assert "load_artifact" in answer.text


def test_a_wrong_column_is_answered_with_the_near_one(box: Toolbox, squares: str) -> None:
    answer = box.call("read_rows", {"artifact_id": squares, "columns": ["sqare"]})
    assert answer.is_error
    assert "square" in answer.text
    assert tokens_of(answer.text) <= 200


def test_an_artifact_of_another_owner_is_told_as_one_that_does_not_exist(cloud: MotoCloud, squares: str) -> None:
    stranger = Toolbox(cloud.open(owner="else"))
    foreign = stranger.call("read_rows", {"artifact_id": squares})
    made_up = stranger.call("read_rows", {"artifact_id": "art_" + "0" * 26})
    assert foreign.is_error
    assert {**foreign.structured, "correlation_id": ""} == {**made_up.structured, "correlation_id": ""}


def test_no_answer_holds_a_url_a_token_a_bucket_or_a_key(
    cloud: MotoCloud, workspace: Workspace, box: Toolbox, squares: str
) -> None:
    answers: list[ToolAnswer] = [
        box.call("register_artifact", {"path": "squares.csv"}),
        box.call("register_artifact", {"path": "nothing.csv"}),
        box.call("list_artifacts", {"limit": 1}),
        box.call("describe_artifact", {"artifact_id": squares}),
        box.call("load_artifact", {"artifact_id": squares}),
        box.call("load_artifact", {"artifact_id": "art_nothing"}),
        box.call("read_rows", {"artifact_id": squares, "limit": 2}),
        box.call("read_rows", {"artifact_id": squares, "columns": ["x"]}),
        box.call("read_columns", {"artifact_id": squares, "columns": ["n"]}),
        box.call("read_columns", {"artifact_id": squares, "columns": ["name", "n", "x"]}),
    ]
    keys = [each["Key"] for each in cloud.s3.list_objects_v2(Bucket=cloud.bucket)["Contents"]]
    secrets = [workspace.token, cloud.bucket, cloud.table, cloud.endpoint, "X-Amz", "http", *keys]
    for answer in answers:
        told = answer.text + json_text(answer.structured)
        assert [secret for secret in secrets if secret in told] == []


def test_no_answer_tells_its_data_twice(box: Toolbox, squares: str) -> None:
    for tool, arguments, once in [
        ("read_rows", {"limit": 20}, "row 13"),
        ("describe_artifact", {}, "998001"),
        ("read_columns", {"columns": ["square"], "offset": 10, "rows": 5}, "144"),
    ]:
        answer = box.call(tool, {"artifact_id": squares, **arguments})
        assert answer.text.count(once) == 1
        assert json_text(answer.structured).count(once) == 1
