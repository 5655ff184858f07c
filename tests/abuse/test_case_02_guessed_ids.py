"""An id of another owner is guessed, or a true reference is handed to a node outside its owner or run.

The answer is not-found, in the words and after the very requests to the stores that an unknown id costs, so that
neither tells whether the artifact exists. There is nothing to guess: an id ends in eighty bits that follow from a
session's random id and S3's random version.
"""

from __future__ import annotations

from typing import Any

import pytest

from session_datasets.domain.artifact import ARTIFACT_ID_PREFIX
from tests.support.moto_cloud import MotoCloud
from tests.support.recorded import recorded
from tests.support.sessions import Answer, Opened, Session, problem_code, without_request_id

READING: dict[str, dict[str, Any]] = {
    "describe_artifact": {},
    "load_artifact": {},
    "read_rows": {},
    "read_columns": {"columns": ["a"]},
}
STRANGERS = {
    "another owner": {"owner": "other", "run_id": "run-1"},
    "another run": {"run_id": "run-2"},
    "a conversation of the run's name": {"conversation_id": "run-1"},
}
each_stranger = pytest.mark.parametrize("stranger", STRANGERS.values(), ids=list(STRANGERS))
each_verb = pytest.mark.parametrize("verb", READING)


def unknown_like(reference: Answer) -> Answer:
    """The same reference with another last character."""
    known = reference["artifact_id"]
    return {**reference, "artifact_id": known[:-1] + ("0" if known[-1] != "0" else "1")}


def forms(reference: Answer) -> list[Any]:
    """By id alone, with the session that made it, and whole."""
    known = {name: reference[name] for name in ("artifact_id", "session_id")}
    return [reference["artifact_id"], known, reference]


@each_verb
@each_stranger
def test_a_true_reference_costs_a_stranger_the_requests_of_an_unknown_one(
    cloud: MotoCloud, opened: Opened, node: Session, stranger: dict[str, str], verb: str
) -> None:
    reference = node.register()["reference"]
    # Whoever may see it has just read it: what a process remembers must not shorten a stranger's way.
    node.call("read_rows", reference=reference)
    outsider = opened(**stranger)
    for true, false in zip(forms(reference), forms(unknown_like(reference)), strict=True):
        answers, operations = [], []
        for each in (true, false):
            with recorded(cloud) as asked:
                answers.append(without_request_id(outsider.call(verb, reference=each, **READING[verb])))
            operations.append([one.operation for one in asked])
        assert problem_code(answers[0]) == "not-found"
        assert answers[0] == answers[1]
        assert operations[0] == operations[1] != []


@each_stranger
def test_a_stranger_may_not_make_something_from_it(opened: Opened, node: Session, stranger: dict[str, str]) -> None:
    known = node.register()["artifact_id"]
    outsider = opened(**stranger)
    foreign = outsider.register("b.csv", lineage=[known])
    unknown = outsider.register("c.csv", lineage=[unknown_like({"artifact_id": known})["artifact_id"]])
    assert problem_code(foreign) == "not-found"
    assert without_request_id(foreign) == without_request_id(unknown)


def test_a_stranger_that_is_refused_leaves_no_trace_in_the_lineage(cloud: MotoCloud, opened: Opened) -> None:
    reference = opened(run_id="run-1").register()["reference"]
    opened(run_id="run-2").call("load_artifact", reference=reference, into="workspace")
    items = cloud.dynamodb.scan(TableName=cloud.table)["Items"]
    assert [item for item in items if item["artifact_id"]["S"].startswith("handoff#")] == []


def test_one_file_registered_by_two_sessions_has_ids_with_nothing_in_common_but_their_time(opened: Opened) -> None:
    first, second = (opened(run_id="run-1").register()["artifact_id"] for _ in range(2))
    guessed = [each.removeprefix(ARTIFACT_ID_PREFIX)[10:] for each in (first, second)]
    assert [len(each) for each in guessed] == [16, 16]
    # Sixteen characters of thirty-two: two places agree by chance in half a place, nine hardly ever.
    assert sum(one == other for one, other in zip(*guessed, strict=True)) < 9


@each_verb
def test_deployed_functions_answer_theirs_and_unknown_alike(opened_there: Opened, verb: str) -> None:
    reference = opened_there().register()["reference"]
    for stranger in ({"owner": "other", "run_id": "run-1"}, {"run_id": "another-run"}):
        outsider = opened_there(**stranger)
        for true, false in zip(forms(reference), forms(unknown_like(reference)), strict=True):
            answers = [outsider.call(verb, reference=each, **READING[verb]) for each in (true, false)]
            assert problem_code(answers[0]) == "not-found"
            assert without_request_id(answers[0]) == without_request_id(answers[1])
