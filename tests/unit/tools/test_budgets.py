"""What an answer costs a model at most, in the worst cases that the service lets through."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from session_datasets.domain.limits import FILE_NAME_BYTES_MAX, NAME_CHARACTERS_MAX
from session_datasets.tools import Budgets, ToolAnswer, Toolbox, tokens_of
from session_datasets.tools.answers import json_text
from session_datasets.tools.arguments import PATH_BYTES_MAX
from tests.unit.tools import stand_in
from tests.unit.tools.stand_in import ID

# Four bytes a character, and one that JSON doubles.
LONG_NAMES = {"wide": "\N{GRINNING FACE}" * NAME_CHARACTERS_MAX, "quotes": '"' * NAME_CHARACTERS_MAX}
# A cursor signed for the longest ids that a session may have.
CURSOR = "c" * 700


def _costs(answer: ToolAnswer) -> int:
    """The dearer of what a model may be shown, measured here and not by the code under test."""
    as_json = json.dumps(answer.structured, ensure_ascii=False, separators=(",", ":"))
    return max(-(-len(text.encode()) // 4) for text in (answer.text, as_json))


def _asked(directory: Path, tool: str, arguments: dict[str, Any], **answers: Any) -> ToolAnswer:
    answer = Toolbox(stand_in.workspace(directory, **answers)).call(tool, arguments)
    assert not answer.is_error, answer.text
    return answer


@pytest.mark.parametrize("name", LONG_NAMES.values(), ids=list(LONG_NAMES))
def test_a_registration_of_ten_thousand_columns_costs_at_most_400_tokens(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.csv").write_text("x")
    profile = stand_in.profile([f"{name}{number}" for number in range(10_000)])
    answer = stand_in.registered(name=name, note=name * 5, profile=profile)
    told = _asked(tmp_path, "register_artifact", {"path": "a.csv"}, register_artifact=answer)
    assert _costs(told) <= 400
    assert ID in told.text
    assert told.structured["columns_left_out"] == 10_000 - len(told.structured["columns"])
    assert "more columns; call describe_artifact" in told.text


@pytest.mark.parametrize("name", LONG_NAMES.values(), ids=list(LONG_NAMES))
def test_a_listing_of_50_datasets_costs_at_most_1500_tokens_and_leaves_none_out(tmp_path: Path, name: str) -> None:
    artifacts = [stand_in.summary(name=name, description=name * 10, status="profiling")] * 50
    told = _asked(tmp_path, "list_artifacts", {"limit": 50}, list_page=stand_in.listing(artifacts, CURSOR))
    assert _costs(told) <= 1_500
    assert told.text.count(ID) == len(told.structured["artifacts"]) == 50
    assert CURSOR in told.text
    assert told.structured["next_cursor"] == CURSOR


def test_names_of_a_listing_of_50_keep_enough_to_be_told_apart(tmp_path: Path) -> None:
    artifacts = [stand_in.summary(name=f"flights of {2000 + year}", description="d" * 2_000) for year in range(50)]
    told = _asked(tmp_path, "list_artifacts", {"limit": 50}, list_page=stand_in.listing(artifacts, CURSOR))
    assert [row[1] for row in told.structured["artifacts"]] == [f"flights of {2000 + year}" for year in range(50)]


@pytest.mark.parametrize("letter", ["a", "\N{GRINNING FACE}", '"'], ids=["plain", "wide", "quotes"])
def test_a_load_costs_at_most_150_tokens(tmp_path: Path, letter: str) -> None:
    path = tmp_path / (letter * (min(FILE_NAME_BYTES_MAX, 250) // len(letter.encode())))
    path.write_bytes(b"x")
    told = _asked(tmp_path, "load_artifact", {"artifact_id": ID}, load_artifact=path)
    assert _costs(told) <= 150
    assert told.structured["path"] == path.name


@pytest.mark.parametrize("letter", ["a", '"', "\\", "\n", "\x01", "\x7f", "\N{GRINNING FACE}"], ids=ascii)
def test_a_load_to_the_longest_path_that_is_taken_costs_at_most_150_tokens(tmp_path: Path, letter: str) -> None:
    most = PATH_BYTES_MAX // (len(json_text(letter).encode()) - 2)
    # A folder that is wished gets the file's own name below it.
    path = tmp_path / (letter * most) / ("b" * FILE_NAME_BYTES_MAX)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"x")
    asked = {"artifact_id": ID, "to": letter * most}
    assert _costs(_asked(tmp_path, "load_artifact", asked, load_artifact=path)) <= 150
    box = Toolbox(stand_in.workspace(tmp_path, load_artifact=path))
    refused = box.call("load_artifact", asked | {"to": letter * (most + 1)})
    assert refused.is_error
    assert "at most 255" in refused.text


def test_a_description_of_ten_thousand_columns_stays_in_its_budget_and_goes_on_to_the_end(tmp_path: Path) -> None:
    names = [f"column {number} {'x' * 300}" for number in range(10_000)]
    answer = stand_in.described(
        name=LONG_NAMES["wide"], description="d" * 2_000, lineage=[ID] * 50, profile=stand_in.profile(names)
    )
    following, seen, calls = 0, 0, 0
    while following is not None and calls < 5:
        told = _asked(
            tmp_path,
            "describe_artifact",
            {"artifact_id": ID, "first_column": following},
            describe_artifact=answer,
        )
        assert _costs(told) <= Budgets().describe
        assert told.structured["columns"][0][0].startswith(f"column {seen} ")
        calls += 1
        seen += len(told.structured["columns"])
        following = told.structured["next_first_column"]
        assert following == seen
    last = _asked(tmp_path, "describe_artifact", {"artifact_id": ID, "first_column": 9_999}, describe_artifact=answer)
    assert "next_first_column" not in last.structured


@pytest.mark.parametrize("budget", [150, 400, 2_000])
def test_a_page_of_ten_thousand_columns_stays_in_its_budget_and_says_what_is_missing(
    tmp_path: Path, budget: int
) -> None:
    names = [f"column {number}" for number in range(10_000)]

    def read(*, columns: list[str] | None, **_: Any) -> Any:
        shown = columns or names
        return stand_in.page(shown, [["v" * 300] * len(shown)] * 3, total=1_000_000)

    box = Toolbox(stand_in.workspace(tmp_path, read_rows=read), budgets=Budgets(rows=budget))
    told = box.call("read_rows", {"artifact_id": ID})
    shown = len(told.structured["columns"])
    assert _costs(told) <= budget
    assert told.structured["rows"]
    assert told.structured["columns_left_out"] == 10_000 - shown
    assert f"{10_000 - shown:,} more columns; name the ones you need" in told.text


def test_one_row_that_is_longer_than_the_budget_is_cut_and_the_next_page_goes_on_after_it(tmp_path: Path) -> None:
    answer = stand_in.page(["a", "b"], [["x" * 1_000_000, {"deep": ["y" * 9_000]}], [1, 2]], total=5)
    told = _asked(tmp_path, "read_rows", {"artifact_id": ID}, read_rows=answer)
    assert _costs(told) <= Budgets().rows
    assert len(told.structured["rows"]) == 1
    assert told.structured["next_offset"] == 1
    assert "shortened" in told.text


@pytest.mark.parametrize("value", ["t" * 5_000, 1.2345678901234567e-100], ids=["texts", "numbers"])
def test_a_series_of_20_columns_stays_in_its_budget(tmp_path: Path, value: Any) -> None:
    def read(columns: list[str], max_points: int, x: str | None) -> Any:
        return stand_in.series(columns, max_points, value, x=bool(x))

    names = [f"column {number} {'x' * 300}" for number in range(20)]
    stand = stand_in.workspace(tmp_path)
    stand.read_columns = lambda _, columns, **more: read(columns, more["max_points"], more["x"])  # type: ignore
    told = Toolbox(stand).call("read_columns", {"artifact_id": ID, "columns": names, "x": "time", "max_points": 20_000})
    assert not told.is_error, told.text
    assert _costs(told) <= Budgets().columns
    assert told.structured["points_reduced"]
    if left_out := told.structured.get("columns_left_out"):
        assert left_out == 20 - len(told.structured["columns"])


# A letter of each cost: plain, wide, doubled by JSON, spelled out in one escape and in two.
_LETTERS = 'a\N{GRINNING FACE}"\\\x1b\n\u202e\U000e0041 '
_LONG = st.builds(str.__mul__, st.sampled_from(_LETTERS), st.integers(1, 400)) | st.text(min_size=1, max_size=300)
_NAMES = st.lists(_LONG, min_size=1, max_size=5).flatmap(
    lambda names: st.builds(lambda count: (names * count)[:count], st.integers(1, 600))
)
_CELLS = st.none() | st.integers(-(10**18), 10**18) | _LONG
_ADVERSARIAL = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@_ADVERSARIAL
@given(
    names=_NAMES, cells=st.lists(_CELLS, min_size=1, max_size=3), rows=st.integers(0, 3), budget=st.integers(150, 2_000)
)
def test_a_page_of_any_names_stays_in_its_budget_and_gets_on(
    tmp_path: Path, names: list[str], cells: list[Any], rows: int, budget: int
) -> None:
    def read(*, columns: list[str] | None, **_: Any) -> Any:
        width = len(columns or names)
        page = [[cells[place % len(cells)] for place in range(width)]] * rows
        return stand_in.page(columns or names, page, total=rows and 10**9)

    told = Toolbox(stand_in.workspace(tmp_path, read_rows=read), budgets=Budgets(rows=budget)).call(
        "read_rows", {"artifact_id": ID}
    )
    assert not told.is_error, told.text
    assert _costs(told) <= budget
    shown = told.structured["columns"]
    assert shown
    assert len(shown) + told.structured.get("columns_left_out", 0) == len(names)
    assert bool(told.structured["rows"]) == bool(rows)
    assert all(len(row) == len(shown) for row in told.structured["rows"])


@_ADVERSARIAL
@given(names=_NAMES, words=_LONG, cell=_LONG)
def test_what_is_told_of_any_names_stays_in_its_budget(tmp_path: Path, names: list[str], words: str, cell: str) -> None:
    (tmp_path / "a.csv").write_text("x")
    artifact = {"name": words, "note": words, "profile": stand_in.profile(names, cell=cell)}
    artifact |= {"failure": stand_in.PROBLEM | {"detail": words}, "status": "profiling"}
    stand = stand_in.workspace(
        tmp_path,
        wait=stand_in.registered(**artifact),
        register_artifact=stand_in.registered(**artifact),
        describe_artifact=stand_in.described(**artifact, description=words, lineage=[ID] * 50),
        list_page=stand_in.listing([stand_in.summary(name=words, description=words, status="profiling")] * 50, CURSOR),
    )
    stand.read_columns = lambda _, columns, **more: stand_in.series(columns, more["max_points"], cell, x=True)  # type: ignore
    box, budgets = Toolbox(stand), Budgets()
    for tool, arguments, budget in (
        ("register_artifact", {"path": "a.csv"}, budgets.register),
        ("describe_artifact", {"artifact_id": ID}, budgets.describe),
        ("list_artifacts", {"limit": 50}, budgets.listing),
        ("read_columns", {"artifact_id": ID, "columns": names[:20], "x": "t"}, budgets.columns),
    ):
        told = box.call(tool, arguments)
        assert not told.is_error, told.text
        assert _costs(told) <= budget, tool


def test_a_budget_that_no_answer_fits_in_is_refused() -> None:
    with pytest.raises(ValueError, match="'load' takes at least 150 tokens"):
        Budgets(load=149)


def test_tokens_are_utf8_bytes_by_four_rounded_up() -> None:
    assert [tokens_of(text) for text in ("", "a", "abcd", "abcde", "\N{EURO SIGN}" * 4)] == [0, 1, 1, 2, 3]


def test_an_answer_costs_the_dearer_of_text_and_structure() -> None:
    assert ToolAnswer("a" * 40, {}).tokens == 10
    assert ToolAnswer("", {"a": "é"}).tokens == tokens_of(json_text({"a": "é"})) == 3
