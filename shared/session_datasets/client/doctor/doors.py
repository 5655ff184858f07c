"""What is tried through the doors: calls of the verbs, by sessions that must not have what they ask for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from session_datasets.client.doctor.attempt import Attempt, Verdict, judged
from session_datasets.client.doctor.scene import Party, Scene
from session_datasets.domain.names import NODE_VERBS, Verb

_NOT_FOUND = "the answer for an id that does not exist"
_ANSWERED = "answered"
_OF_ONE_CALL = ("request_id", "correlation_id")
# An id of the form of all others, of no artifact.
_NOBODYS = "art_" + "0" * 26

_READING: dict[Verb, dict[str, Any]] = {
    Verb.DESCRIBE_ARTIFACT: {},
    Verb.LOAD_ARTIFACT: {},
    Verb.READ_ROWS: {},
    Verb.READ_COLUMNS: {"columns": ["secret"]},
}


def through_the_doors(scene: Scene) -> Iterator[Attempt]:
    """Every attempt as it is made; the first shows that the file can be read by its owner at all."""
    yield _own(scene)
    for party in (scene.stranger, scene.neighbour):
        yield from _reading(scene, party)
        yield _listing(scene, party)
        yield from _registering(scene, party)
    yield from _verbs_that_are_not_allowed(scene)


def _own(scene: Scene) -> Attempt:
    answer = scene.owner.call(Verb.READ_ROWS, reference=scene.reference)
    came = _told(answer)
    verdict = Verdict.HELD if came == _ANSWERED else Verdict.UNTRIED
    return Attempt(scene.owner.called, "read_rows of its own file", _ANSWERED, came, verdict)


def _reading(scene: Scene, party: Party) -> Iterator[Attempt]:
    for verb, more in _READING.items():
        for how, reference in (("by id", {"artifact_id": scene.artifact_id}), ("by reference", scene.reference)):
            unknown = {**reference, "artifact_id": _NOBODYS}
            asked, nothing = (party.call(verb, reference=each, **more) for each in (reference, unknown))
            came = _NOT_FOUND if _same(asked, nothing) and _told(asked) == "not-found" else _told(asked)
            yield judged(party.called, f"{verb} of the owner's file {how}", [_NOT_FOUND], came)


def _listing(scene: Scene, party: Party) -> Attempt:
    answer = party.call(Verb.LIST_ARTIFACTS)
    ids = [each["artifact_id"] for each in answer.get("artifacts", [])]
    came = "listed" if scene.artifact_id in ids else "not listed" if "artifacts" in answer else _told(answer)
    return judged(party.called, "list_artifacts", ["not listed"], came)


def _registering(scene: Scene, party: Party) -> Iterator[Attempt]:
    answer = party.call(Verb.REGISTER_ARTIFACT, key=scene.key, name="doctor")
    yield judged(party.called, "register_artifact of the owner's key", ["key-outside-workspace"], _told(answer))
    own = party.call(
        Verb.REGISTER_ARTIFACT,
        key=f"{party.workspace}datasets/doctor.csv",
        name="doctor",
        lineage=[scene.artifact_id],
    )
    # It has no file there, which is told first; so neither answer tells anything of the owner's artifact.
    yield judged(party.called, "register_artifact made from it", ["not-found", "file-not-found"], _told(own))


def _verbs_that_are_not_allowed(scene: Scene) -> Iterator[Attempt]:
    for verb in NODE_VERBS:
        if verb is not Verb.LIST_ARTIFACTS:
            came = _told(scene.lister.call(verb, reference=scene.reference))
            yield judged(scene.lister.called, verb.value, ["verb-not-allowed"], came)


def _told(answer: dict[str, Any]) -> str:
    return str(answer["problem"].get("code")) if "problem" in answer else _ANSWERED


def _same(first: dict[str, Any], second: dict[str, Any]) -> bool:
    """But for the ids of the two calls."""
    return _without_request(first) == _without_request(second)


def _without_request(answer: dict[str, Any]) -> dict[str, Any]:
    problem = {name: value for name, value in answer.get("problem", {}).items() if name not in _OF_ONE_CALL}
    return {**answer, "problem": problem}
