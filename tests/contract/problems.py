"""One real refusal of every problem code. docs/errors.md is written from them.

``python -m tests.contract.problems`` writes it anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

from botocore.exceptions import EndpointConnectionError
from moto.server import ThreadedMotoServer

from session_datasets.domain.errors import PROBLEM_KINDS, ProblemCode
from tests.contract import told
from tests.support.moto_cloud import MotoCloud
from tests.support.sessions import Answer, Session

BODY = b"day,amount\n2026-01-01,10\n"
Scenario = Callable[[MotoCloud], Answer]
SCENARIOS: dict[ProblemCode, Scenario] = {}


def shows(code: ProblemCode) -> Callable[[Scenario], Scenario]:
    def keep(scenario: Scenario) -> Scenario:
        SCENARIOS[code] = scenario
        return scenario

    return keep


def a_session(cloud: MotoCloud) -> Session:
    return Session.open(cloud, conversation_id="talk-1")


@shows(ProblemCode.INVALID_REQUEST)
def invalid_request(cloud: MotoCloud) -> Answer:
    session = a_session(cloud)
    return session.call("read_rows", reference=session.register(body=BODY)["reference"], offset=-1)


@shows(ProblemCode.UNSUPPORTED_VERSION)
def unsupported_version(cloud: MotoCloud) -> Answer:
    return a_session(cloud).call("list_artifacts", v=2)


@shows(ProblemCode.TOKEN_MISSING)
def token_missing(cloud: MotoCloud) -> Answer:
    return cloud.call("list_artifacts", {})


@shows(ProblemCode.TOKEN_EXPIRED)
def token_expired(cloud: MotoCloud) -> Answer:
    from tests.contract.test_who_calls import HOUR, a_token

    return cloud.call("list_artifacts", {"token": a_token(since=2 * HOUR)})


@shows(ProblemCode.TOKEN_INVALID)
def token_invalid(cloud: MotoCloud) -> Answer:
    return cloud.call("list_artifacts", {"token": "made.up.token"})


@shows(ProblemCode.VERB_NOT_ALLOWED)
def verb_not_allowed(cloud: MotoCloud) -> Answer:
    reader = Session.open(cloud, conversation_id="talk-1", verbs=["list_artifacts", "read_rows"])
    return reader.call("register_artifact", key="k", name="n")


@shows(ProblemCode.NOT_FOUND)
def not_found(cloud: MotoCloud) -> Answer:
    return a_session(cloud).call("describe_artifact", reference="art_01jg00000000000000000000zz")


@shows(ProblemCode.REFERENCE_MISMATCH)
def reference_mismatch(cloud: MotoCloud) -> Answer:
    session = a_session(cloud)
    reference = session.register(body=BODY)["reference"]
    return session.call("load_artifact", reference={**reference, "version_id": "another"})


@shows(ProblemCode.KEY_OUTSIDE_WORKSPACE)
def key_outside_workspace(cloud: MotoCloud) -> Answer:
    return a_session(cloud).call("register_artifact", key="acme/conversations/talk-2/datasets/a.csv", name="Sales")


@shows(ProblemCode.FILE_NOT_FOUND)
def file_not_found(cloud: MotoCloud) -> Answer:
    session = a_session(cloud)
    session.put("sales.csv", BODY)
    return session.call("register_artifact", key=f"{session.workspace}datasets/slaes.csv", name="Sales")


@shows(ProblemCode.EMPTY_FILE)
def empty_file(cloud: MotoCloud) -> Answer:
    return a_session(cloud).register(body=b"")


@shows(ProblemCode.UNREADABLE_FILE)
def unreadable_file(cloud: MotoCloud) -> Answer:
    return a_session(cloud).register("sales.parquet", b"PAR1 and then nothing that Parquet would hold")


@shows(ProblemCode.CHECKSUM_MISMATCH)
def checksum_mismatch(cloud: MotoCloud) -> Answer:
    return a_session(cloud).register(body=BODY, sha256="0" * 64)


@shows(ProblemCode.SIZE_MISMATCH)
def size_mismatch(cloud: MotoCloud) -> Answer:
    return a_session(cloud).register(body=BODY, size=7)


@shows(ProblemCode.ROWS_MISMATCH)
def rows_mismatch(cloud: MotoCloud) -> Answer:
    return a_session(cloud).register(body=BODY, rows=2)


@shows(ProblemCode.REQUEST_TOKEN_CONFLICT)
def request_token_conflict(cloud: MotoCloud) -> Answer:
    session = a_session(cloud)
    session.register(body=BODY, name="Sales", request_token="step-7")
    return session.register(body=BODY, name="Income", request_token="step-7")


@shows(ProblemCode.HINTS_CONFLICT)
def hints_conflict(cloud: MotoCloud) -> Answer:
    session = a_session(cloud)
    asked = {"key": session.put("sales.csv", BODY), "name": "Sales"}
    session.call("register_artifact", **asked)
    return session.call("register_artifact", **asked, hints={"types": {"amount": "string"}})


@shows(ProblemCode.TOO_LARGE)
def too_large(cloud: MotoCloud) -> Answer:
    session = a_session(cloud)
    essays = b"essay,mark\n" + b"".join(b"%s,%d\n" % (b"word " * 2_000, n) for n in range(1_000))
    reference = session.register(body=essays)["reference"]
    return session.call("read_columns", reference=reference, columns=["essay"])


@shows(ProblemCode.NOT_A_DATASET)
def not_a_dataset(cloud: MotoCloud) -> Answer:
    session = a_session(cloud)
    reference = session.register("picture.png", b"\x89PNG\r\n\x1a\n" + bytes(64))["reference"]
    return session.call("read_rows", reference=reference)


@shows(ProblemCode.STILL_PROFILING)
def still_profiling(cloud: MotoCloud) -> Answer:
    session = a_session(MotoCloud(cloud.endpoint, profiled_at_once_bytes=0))
    return session.call("read_rows", reference=session.register(body=BODY, name="Sales")["reference"])


@shows(ProblemCode.UNKNOWN_COLUMN)
def unknown_column(cloud: MotoCloud) -> Answer:
    session = a_session(cloud)
    return session.call("read_rows", reference=session.register(body=BODY)["reference"], columns=["amuont"])


@shows(ProblemCode.INVALID_CURSOR)
def invalid_cursor(cloud: MotoCloud) -> Answer:
    return a_session(cloud).call("list_artifacts", cursor="made.up.cursor")


@shows(ProblemCode.FILE_MISSING)
def file_missing(cloud: MotoCloud) -> Answer:
    session = a_session(cloud)
    reference = session.register(body=BODY, name="Sales")["reference"]
    cloud.s3.delete_object(Bucket=cloud.bucket, Key=reference["key"], VersionId=reference["version_id"])
    return session.call("load_artifact", reference=reference)


@shows(ProblemCode.FILE_CHANGED)
def file_changed(cloud: MotoCloud) -> Answer:
    session = a_session(cloud)
    reference = session.register(body=BODY, name="Sales")["reference"]
    session.put("sales.csv", b"something else")
    cloud.s3.delete_object(Bucket=cloud.bucket, Key=reference["key"], VersionId=reference["version_id"])
    return session.call("load_artifact", reference=reference)


@shows(ProblemCode.STILL_IN_USE)
def still_in_use(cloud: MotoCloud) -> Answer:
    a_session(cloud)
    return cloud.call("end_conversation", {"owner": "acme", "conversation_id": "talk-1"})


@shows(ProblemCode.ENDED)
def ended(cloud: MotoCloud) -> Answer:
    session = a_session(cloud)
    cloud.call("end_conversation", {"owner": "acme", "conversation_id": "talk-1", "release_leases": True})
    return session.register(body=BODY)


@shows(ProblemCode.UNAVAILABLE)
def unavailable(cloud: MotoCloud) -> Answer:
    session = a_session(cloud)
    with patch.object(cloud.dynamodb, "get_paginator", side_effect=EndpointConnectionError(endpoint_url="x")):
        return session.call("list_artifacts")


@shows(ProblemCode.INTERNAL)
def internal(cloud: MotoCloud) -> Answer:
    session = a_session(cloud)
    with patch.object(cloud.dynamodb, "get_paginator", side_effect=ZeroDivisionError("of a secret")):
        return session.call("list_artifacts")


_HEAD = """# Errors

A refused request is an answer: a problem of [RFC 9457](https://www.rfc-editor.org/rfc/rfc9457) with members of our
own. Invoked directly, a function returns it under `problem`; the SDK raises it as a typed error. `detail` says what was
not done and why, `advice` what to do next, `retryable` whether the same call may be made again, `did_you_mean` what the
caller may have meant, `retry_with` arguments that would be accepted. `request_id` finds the call in the logs.

Every code below is shown with one real answer. An artifact that is somebody else's answers `not-found`, in the same
bytes as one that does not exist.
"""


def document(problems: dict[ProblemCode, dict[str, Any]], endpoint: str) -> str:
    """docs/errors.md as text."""
    lines = [_HEAD, "| code | status | retryable | meaning |", "| --- | --- | --- | --- |"]
    for code in ProblemCode:
        kind = PROBLEM_KINDS[code]
        lines.append(f"| [`{code}`](#{code}) | {kind.status} | {'yes' if kind.retryable else 'no'} | {kind.title} |")
    for code in ProblemCode:
        shown = {name: value for name, value in problems[code].items() if name != "request_id"}
        lines += ["", f"## {code}", "", "```json", json.dumps(shown, indent=2, ensure_ascii=False), "```"]
    lines += ["", told.section(endpoint).rstrip()]
    return "\n".join(lines) + "\n"


def main() -> None:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    endpoint = f"http://{host}:{port}"
    try:
        problems = {code: scenario(MotoCloud(endpoint))["problem"] for code, scenario in SCENARIOS.items()}
        (Path(__file__).parents[2] / "docs" / "errors.md").write_text(document(problems, endpoint))
    finally:
        server.stop()


if __name__ == "__main__":
    main()
