"""One trial for each statement of the roles: a call that needs it.

A trial sets its scene with all grants in place, and is then tried without the one statement, where it must fail, and
with it again, where it must succeed. Most are calls of a verb. Those of the signing key and of the queue are made below
the door, with the function's own credentials: a warm process remembers the key, and the queue is read by Lambda.
Those of the functions that tell of events and that audit are in ``event_trials``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import partial

from session_datasets.domain.artifact import ProfilingTask
from session_datasets.domain.limits import MIB, SINGLE_UPLOAD_BYTES_MAX
from session_datasets.domain.names import ENDING_VERBS, NODE_VERBS, Verb
from session_datasets.storage.profile_queue import body_of
from tests.enforced.event_trials import AUDIT_TRIALS, EVENT_TRIALS
from tests.enforced.trying import (
    Opened,
    Trial,
    Try,
    allowed,
    delivered,
    in_conversation,
    in_run,
    message,
    new,
    new_body,
)
from tests.support.enforced_cloud import EnforcedCloud
from tests.support.sessions import Answer, Session

# What a call is told whose function may not do what it must.
_FAILURES = ("internal", "unavailable")
# Not profiled within a call on a laptop.
_LARGE = b"number\n" + b"1\n" * (17 * MIB)
# The record of so many columns holds a part of the profile only.
_WIDE = ",".join(f"column_{number}" for number in range(3_000)).encode() + b"\n" + b",".join([b"1"] * 3_000) + b"\n"


def _answered(call: Callable[[], Answer]) -> bool:
    """Whether the call was answered, refused for a reason of the caller's or not; False for a failure."""
    answer = call()
    return "problem" not in answer or answer["problem"]["code"] not in _FAILURES


def _done(call: Callable[[], Answer]) -> bool:
    """Whether the call was answered with what it was for."""
    return "problem" not in call()


# --- the two ways into a workspace -----------------------------------------------------------------------


def _upload(opened: Opened, cloud: EnforcedCloud) -> Try:
    session = opened(cloud)
    wanted = {"file_name": "a.bin", "size": SINGLE_UPLOAD_BYTES_MAX + 1, "sha256": "0" * 64}
    return lambda: _done(lambda: session.call("prepare_upload", **wanted))


def _recognise(opened: Opened, cloud: EnforcedCloud) -> Try:
    session, body = opened(cloud), new_body()
    sha256 = hashlib.sha256(body).hexdigest()
    key = f"{session.workspace}datasets/a.csv"
    cloud.s3.put_object(Bucket=cloud.bucket, Key=key, Body=body, Metadata={"sha256": sha256})
    wanted = {"file_name": "a.csv", "size": len(body), "sha256": sha256}
    return lambda: "version_id" in session.call("prepare_upload", **wanted)


def _register(opened: Opened, cloud: EnforcedCloud) -> Try:
    session = opened(cloud)
    key = session.put("a.csv", new_body())
    return lambda: _done(lambda: session.call("register_artifact", key=key, name="a"))


def _register_what_is_not_there(opened: Opened, cloud: EnforcedCloud) -> Try:
    session = opened(cloud)
    key = session.put("a.csv", new_body())
    return lambda: _answered(lambda: session.call("register_artifact", key=f"{key}x", name="a"))


def _register_large(cloud: EnforcedCloud) -> Try:
    session = in_run(cloud)
    key = session.put("a.csv", _LARGE)
    sha256 = hashlib.sha256(_LARGE).hexdigest()
    return lambda: _done(lambda: session.call("register_artifact", key=key, name="a", sha256=sha256))


# --- finding and reading ---------------------------------------------------------------------------------


def _of_another(opened: Callable[..., Session], cloud: EnforcedCloud) -> tuple[Session, str]:
    """A session, and the id of an artifact that another session of its conversation or run registered."""
    shared = new("shared")
    return opened(cloud, shared), opened(cloud, shared).register(body=new_body())["artifact_id"]


def _registered_from_another(opened: Callable[..., Session], cloud: EnforcedCloud) -> Try:
    session, source = _of_another(opened, cloud)
    key = session.put("b.csv", new_body())
    return lambda: _done(lambda: session.call("register_artifact", key=key, name="b", lineage=[source]))


def _find(verb: Verb, more: Answer, opened: Callable[..., Session], cloud: EnforcedCloud) -> Try:
    session, source = _of_another(opened, cloud)
    return lambda: _done(lambda: session.call(verb, reference={"artifact_id": source}, **more))


def _read(verb: Verb, more: Answer, cloud: EnforcedCloud, body: bytes | None = None) -> Try:
    session = in_run(cloud)
    reference = session.register(body=body or new_body())["reference"]
    return lambda: _done(lambda: session.call(verb, reference=reference, **more))


def _list(scope: str, opened: Opened, cloud: EnforcedCloud) -> Try:
    session = opened(cloud)
    session.register(body=new_body())
    return lambda: _done(lambda: session.call("list_artifacts", scope=scope))


def _copy(opened: Opened, cloud: EnforcedCloud) -> Try:
    session = opened(cloud)
    reference = session.register(body=new_body())["reference"]
    return lambda: _done(lambda: session.call("load_artifact", reference=reference, into="workspace"))


# --- off the queue ---------------------------------------------------------------------------------------


def _profile(cloud: EnforcedCloud) -> Try:
    """Delivered here, while the queue delivers nothing."""
    session = in_run(cloud)
    registered = session.register(body=_LARGE, sha256=hashlib.sha256(_LARGE).hexdigest())
    assert registered["status"] == "profiling"
    task = ProfilingTask("acme", session.session_id, registered["artifact_id"])
    return delivered(cloud, Verb.PROFILE_ARTIFACT, message(body_of(task)))


# --- the orchestrator's ----------------------------------------------------------------------------------


def _open(scope: str, cloud: EnforcedCloud) -> Try:
    return lambda: _done(lambda: cloud.call("open_session", {"owner": "acme", scope: new("opened")}))


def _end(verb: Verb, cloud: EnforcedCloud) -> Try:
    """Of a run or a conversation in which something was registered, and whose sessions are over."""
    scope = "run_id" if verb is Verb.END_RUN else "conversation_id"
    name = new("ended")
    Session.open(cloud, **{scope: name}).register(body=new_body())
    wanted = {"owner": "acme", scope: name, "release_leases": True}
    return lambda: _done(lambda: cloud.call(verb, wanted))


# --- below the door --------------------------------------------------------------------------------------


def _read_key(verb: Verb, cloud: EnforcedCloud) -> Try:
    secrets = cloud.as_function(verb).client("secretsmanager")
    return partial(allowed, secrets.get_secret_value, SecretId=cloud.stack.outputs["SigningKeyArn"])


def _receive(cloud: EnforcedCloud) -> Try:
    sqs = cloud.as_function(Verb.PROFILE_ARTIFACT).client("sqs")
    # The dead letters' own messages are nobody's here; the queue itself must not lose one to this test.
    return partial(allowed, sqs.get_queue_attributes, QueueUrl=cloud.stack.outputs["ProfileQueueUrl"])


# --- which needs what ------------------------------------------------------------------------------------

_ENDS_BY_SCOPE = ("FindSessionsWithoutLease", "ListWhatIsLeft", "RemoveWhatIsLeft")
_COLUMNS: Answer = {"columns": ["a"], "max_points": 100}
_READING: dict[Verb, Answer] = {
    Verb.DESCRIBE_ARTIFACT: {},
    Verb.LOAD_ARTIFACT: {},
    Verb.READ_ROWS: {},
    Verb.READ_COLUMNS: _COLUMNS,
}

TRIALS: dict[tuple[Verb, str], Trial] = {
    (Verb.PREPARE_UPLOAD, "SignUploadsInRun"): partial(_upload, in_run),
    (Verb.PREPARE_UPLOAD, "SignUploadsInConversation"): partial(_upload, in_conversation),
    (Verb.PREPARE_UPLOAD, "RecogniseFilesInRun"): partial(_recognise, in_run),
    (Verb.PREPARE_UPLOAD, "RecogniseFilesInConversation"): partial(_recognise, in_conversation),
    (Verb.PREPARE_UPLOAD, "SeeWhetherItEnded"): partial(_upload, in_run),
    (Verb.PREPARE_UPLOAD, "ActForCallers"): partial(_upload, in_run),
    (Verb.REGISTER_ARTIFACT, "ReadFilesInRun"): partial(_register, in_run),
    (Verb.REGISTER_ARTIFACT, "ReadFilesInConversation"): partial(_register, in_conversation),
    (Verb.REGISTER_ARTIFACT, "NameNearFilesInRun"): partial(_register_what_is_not_there, in_run),
    (Verb.REGISTER_ARTIFACT, "NameNearFilesInConversation"): partial(_register_what_is_not_there, in_conversation),
    (Verb.REGISTER_ARTIFACT, "WriteDerived"): partial(_register, in_run),
    (Verb.REGISTER_ARTIFACT, "CreateRecords"): partial(_register, in_run),
    (Verb.REGISTER_ARTIFACT, "ReadRecords"): partial(_register, in_run),
    (Verb.REGISTER_ARTIFACT, "FindOfRun"): partial(_registered_from_another, in_run),
    (Verb.REGISTER_ARTIFACT, "FindOfConversation"): partial(_registered_from_another, in_conversation),
    (Verb.REGISTER_ARTIFACT, "AskForProfiles"): _register_large,
    (Verb.REGISTER_ARTIFACT, "ActForCallers"): partial(_register, in_run),
    (Verb.PROFILE_ARTIFACT, "ReadRegisteredFiles"): _profile,
    (Verb.PROFILE_ARTIFACT, "WriteDerived"): _profile,
    (Verb.PROFILE_ARTIFACT, "CompleteRecords"): _profile,
    (Verb.PROFILE_ARTIFACT, "ActForCallers"): _profile,
    (Verb.PROFILE_ARTIFACT, "WorkOffTheQueue"): _receive,
    (Verb.LIST_ARTIFACTS, "ListOwnSession"): partial(_list, "session", in_run),
    (Verb.LIST_ARTIFACTS, "FindOfRun"): partial(_list, "run", in_run),
    (Verb.LIST_ARTIFACTS, "FindOfConversation"): partial(_list, "conversation", in_conversation),
    (Verb.LIST_ARTIFACTS, "ActForCallers"): partial(_list, "session", in_run),
    (Verb.DESCRIBE_ARTIFACT, "ReadDerivedProfile"): partial(_read, Verb.DESCRIBE_ARTIFACT, {}, body=_WIDE),
    (Verb.LOAD_ARTIFACT, "ReadRegisteredFiles"): partial(_read, Verb.LOAD_ARTIFACT, {}),
    (Verb.LOAD_ARTIFACT, "SeeNewestFiles"): partial(_copy, in_run),
    (Verb.LOAD_ARTIFACT, "CopyFilesInRun"): partial(_copy, in_run),
    (Verb.LOAD_ARTIFACT, "CopyFilesInConversation"): partial(_copy, in_conversation),
    (Verb.LOAD_ARTIFACT, "AddLineage"): partial(_read, Verb.LOAD_ARTIFACT, {}),
    (Verb.READ_ROWS, "ReadDerivedRows"): partial(_read, Verb.READ_ROWS, {}),
    (Verb.READ_COLUMNS, "ReadDerivedRows"): partial(_read, Verb.READ_COLUMNS, _COLUMNS),
    (Verb.OPEN_SESSION, "HoldWhatIsOpenOfRun"): partial(_open, "run_id"),
    (Verb.OPEN_SESSION, "HoldWhatIsOpenOfConversation"): partial(_open, "conversation_id"),
    (Verb.OPEN_SESSION, "ActForCallers"): partial(_open, "run_id"),
    **{
        (verb, sid): partial(_end, verb)
        for verb in ENDING_VERBS
        for sid in ("EndRecords", "ListUnfinishedUploads", "ActForCallers")
    },
    **{
        (verb, f"{grant}{scope}"): partial(_end, verb)
        for verb, scope in ((Verb.END_CONVERSATION, "OfConversation"), (Verb.END_RUN, "OfRun"))
        for grant in _ENDS_BY_SCOPE
    },
    **{(verb, "ReadSigningKey"): partial(_read_key, verb) for verb in (Verb.OPEN_SESSION, *NODE_VERBS)},
    **{(verb, "ReadRecords"): partial(_read, verb, more) for verb, more in _READING.items()},
    **{(verb, "FindOfRun"): partial(_find, verb, more, in_run) for verb, more in _READING.items()},
    **{(verb, "FindOfConversation"): partial(_find, verb, more, in_conversation) for verb, more in _READING.items()},
    **{(verb, "ActForCallers"): partial(_read, verb, more) for verb, more in _READING.items()},
    **{(Verb.PUBLISH_EVENTS, sid): trial for sid, trial in EVENT_TRIALS.items()},
    **{(Verb.AUDIT_RECORDS, sid): trial for sid, trial in AUDIT_TRIALS.items()},
}

# Statements that no call on the emulator can miss, and why.
_TELLS_MISSING = "The emulator tells everybody what is missing; S3 tells only those who may list."
_NEVER_TAGGED = "A call about a run has no conversation's tag, nor the other way round: it never matches anything."
UNSEEN: dict[tuple[Verb, str], str] = {
    (Verb.LOAD_ARTIFACT, "TellMissingFiles"): _TELLS_MISSING,
    (Verb.DESCRIBE_ARTIFACT, "TellMissingDerived"): _TELLS_MISSING,
    (Verb.READ_ROWS, "TellMissingDerived"): _TELLS_MISSING,
    (Verb.READ_COLUMNS, "TellMissingDerived"): _TELLS_MISSING,
    (Verb.AUDIT_RECORDS, "TellMissingAudited"): _TELLS_MISSING,
    **{
        (verb, f"{grant}{scope}"): _NEVER_TAGGED
        for verb, scope in ((Verb.END_CONVERSATION, "OfRun"), (Verb.END_RUN, "OfConversation"))
        for grant in _ENDS_BY_SCOPE
    },
}
