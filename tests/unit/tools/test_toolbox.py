"""Whatever a model calls, it gets an answer that says how to go on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from session_datasets import errors
from session_datasets.tools import DEFINITIONS, Toolbox, call, tokens_of
from session_datasets.tools.answers import json_text
from session_datasets.wire.problem import ProblemModel
from tests.unit.tools import stand_in
from tests.unit.tools.stand_in import ID


def _problem(code: str = "unknown-column", **more: Any) -> errors.ProblemError:
    told = {"detail": "There is no column 'nme'; nothing was read.", "advice": "Use a column of the schema."} | more
    problem = {"type": "urn:x", "title": "No such column", "status": 400, "code": code, "retryable": False, **told}
    return errors.error_of(ProblemModel.model_validate(problem))


FAILURES: dict[str, Exception] = {
    "refused": _problem(did_you_mean=["name"]),
    "too many words": _problem(detail="d" * 100_000, advice="a" * 100_000, did_you_mean=["n" * 10_000] * 3),
    "unreachable": errors.NotDeployedError("There is no function.", "Deploy the stack."),
    "half a surrogate pair": _problem(retry_with={"columns": ["\ud800"]}, did_you_mean=["\udc00"]),
    "unknown": RuntimeError("b\0oom" * 10_000),
    "without a text": ValueError(),
    "of the system": OSError(28, "No space left on device", "/secret/place"),
    "interrupted text": UnicodeDecodeError("utf-8", b"\xff" * 10_000, 0, 1, "invalid"),
}


@pytest.mark.parametrize("failure", FAILURES.values(), ids=list(FAILURES))
def test_every_failure_is_an_answer_of_at_most_200_tokens(tmp_path: Path, failure: Exception) -> None:
    box = Toolbox(stand_in.workspace(tmp_path, read_rows=failure))
    for _ in range(4):
        answer = box.call("read_rows", {"artifact_id": ID, "columns": ["nme" * 10_000]})
        assert answer.is_error
        assert answer.text
        assert max(tokens_of(answer.text), tokens_of(json_text(answer.structured))) <= 200
        # Whoever sends it on writes UTF-8.
        assert json.dumps([answer.text, answer.structured], ensure_ascii=False).encode()


def test_a_refusal_says_what_was_not_done_what_may_have_been_meant_and_what_to_do(tmp_path: Path) -> None:
    answer = call(
        stand_in.workspace(tmp_path, read_rows=FAILURES["refused"]),
        "read_rows",
        {"artifact_id": ID, "columns": ["nme"]},
    )
    assert "There is no column 'nme'; nothing was read." in answer.text
    assert "Use a column of the schema." in answer.text
    assert "name" in answer.text.replace("'nme'", "")
    assert answer.structured["code"] == "unknown-column"


def test_the_same_failing_call_again_gets_a_stronger_hint(tmp_path: Path) -> None:
    box = Toolbox(stand_in.workspace(tmp_path, read_rows=FAILURES["refused"]))
    arguments = {"artifact_id": ID, "columns": ["nme"]}
    texts = [box.call("read_rows", arguments).text for _ in range(3)]
    assert texts[2] != texts[0]
    assert "again" in texts[2] or "same" in texts[2]


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("reed_rows", {}, "Did you mean 'read_rows'? Call one of register_artifact"),
        ("frobnicate", {}, "Call one of register_artifact"),
        ("read_rows", {"artifct_id": ID}, "Did you mean 'artifact_id'? Correct it and call again; the arguments"),
        ("read_rows", {}, "artifact_id: field required"),
        ("read_rows", {"artifact_id": ID, "offset": -1}, "offset: input should be greater than or equal to 0"),
        ("read_rows", {"artifact_id": ID, "limit": 10**6}, "limit: input should be less than or equal to 1000"),
        ("read_columns", {"artifact_id": ID, "columns": []}, "columns: list should have at least 1 item"),
        ("load_artifact", {"artifact_id": ID, "to": "\N{EURO SIGN}" * 90}, "at most 255 bytes"),
        ("read_rows", "[1, 2]", "The arguments are no JSON object"),
        ("read_rows", "{broken", "The arguments are no JSON object"),
        ("read_rows", 7, "The arguments are no JSON object"),
        ("read_rows", "[" * 100_000, "The arguments are no JSON object"),
        ("read_rows", '{"a":' * 100_000, "The arguments are no JSON object"),
        (
            "read_rows",
            {"artifact_id": {"$dataset": {"artifact_id": ID}}},
            "artifact_id: is no artifact_id: the mapping",
        ),
        ("describe_artifact", {"artifact_id": {"a": 1}}, "artifact_id: is no artifact_id: the mapping holds no"),
        ("load_artifact", {"artifact_id": '{"a": 1}'}, "artifact_id: is no artifact_id: the mapping holds no"),
        ("load_artifact", {"artifact_id": "{broken"}, "artifact_id: is no artifact_id: neither an artifact id nor"),
        ("read_columns", {"artifact_id": '{"a":' * 1_600, "columns": ["a"]}, "it is nested too deeply"),
        ("read_rows", {"artifact_id": {"a": {1, 2}}}, "artifact_id: input should be a valid string"),
        ("register_artifact", {"path": "a.csv", "made_from": [{"a": 1}]}, "made_from.0: is no artifact_id"),
        ("register_artifact", {"path": "a.csv", "made_from": ['{"a": 1}']}, "made_from.0: is no artifact_id"),
    ],
    ids=lambda each: repr(each)[:60],
)
def test_a_wrong_call_is_told_by_its_mistake_and_asks_nothing(
    tmp_path: Path, name: str, arguments: Any, told: str
) -> None:
    stand = stand_in.StandIn(tmp_path, read_rows=stand_in.page([], []), read_columns=None)
    answer = Toolbox(stand).call(name, arguments)  # type: ignore[arg-type]
    assert answer.is_error
    assert told in answer.text
    assert "nothing was done" in answer.text
    assert stand.asked == []


@pytest.mark.parametrize(
    "arguments",
    [
        {"artifact_id": ID, "offset": None, "columns": None},
        {"artifact_id": ID, "offset": "0", "limit": "50"},
        json.dumps({"artifact_id": ID}),
        {"artifact_id": {"artifact_id": ID}},
    ],
    ids=["nulls of a strict schema", "numbers as texts", "arguments as JSON", "a whole reference"],
)
def test_what_models_are_known_to_send_is_taken(tmp_path: Path, arguments: Any) -> None:
    stand = stand_in.StandIn(tmp_path, read_rows=stand_in.page(["a"], [[1]]))
    answer = Toolbox(stand).call("read_rows", arguments)  # type: ignore[arg-type]
    assert not answer.is_error, answer.text
    assert stand.asked == [("read_rows", {"offset": 0, "limit": 50, "columns": None, "max_bytes": 7_680})]


@pytest.mark.parametrize("columns", ["name", '["name"]', ["name"]], ids=["a text", "JSON in a text", "a list"])
def test_columns_are_taken_as_a_list_or_as_one_name(tmp_path: Path, columns: Any) -> None:
    stand = stand_in.StandIn(tmp_path, read_rows=stand_in.page(["name"], [["x"]]))
    Toolbox(stand).call("read_rows", {"artifact_id": ID, "columns": columns})  # type: ignore[arg-type]
    assert stand.asked[0][1]["columns"] == ["name"]


def test_columns_that_begin_as_a_list_and_never_end_are_one_name(tmp_path: Path) -> None:
    stand = stand_in.StandIn(tmp_path, read_rows=stand_in.page(["name"], [["x"]]))
    Toolbox(stand).call("read_rows", {"artifact_id": ID, "columns": "[" * 100_000})  # type: ignore[arg-type]
    assert stand.asked[0][1]["columns"] == ["[" * 100_000]


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=6,
)
_MEMBERS = sorted({member for each in DEFINITIONS.values() for member in each.arguments.model_fields})


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.sampled_from([*DEFINITIONS]) | st.text(max_size=20),
    arguments=st.dictionaries(st.sampled_from(_MEMBERS), _JSON, max_size=5) | _JSON,
)
def test_no_call_raises_and_every_error_says_something(tmp_path: Path, name: str, arguments: Any) -> None:
    answer = Toolbox(stand_in.workspace(tmp_path)).call(name, arguments)
    # The stand-in has no verb at all, so whatever gets through to it fails as well.
    assert answer.is_error
    assert answer.text.strip()
    json.dumps(answer.structured)


def test_a_toolbox_has_the_tools_that_were_chosen_and_no_other(tmp_path: Path) -> None:
    box = Toolbox(stand_in.workspace(tmp_path), ["list_artifacts"])
    assert box.names == {"list_artifacts"}
    assert "There is no tool 'read_rows'" in box.call("read_rows", {"artifact_id": ID}).text


def test_an_interrupt_is_no_failure_of_a_tool(tmp_path: Path) -> None:
    box = Toolbox(stand_in.workspace(tmp_path, list_page=KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        box.call("list_artifacts")
