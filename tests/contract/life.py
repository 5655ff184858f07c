"""The life of one dataset, spoken on the wire; the examples beside the handlers were written from it.

``python -m tests.contract.life`` writes them anew, with secrets and random parts replaced.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from moto.server import ThreadedMotoServer

from session_datasets.domain.artifact import ProfilingTask
from session_datasets.domain.names import Verb
from tests.support.audited import Audited, Followed, message
from tests.support.moto_cloud import MotoCloud
from tests.support.sessions import Session

Exchange = tuple[dict[str, Any], dict[str, Any]]
_SECRETS = {"token": "<access token>", "receiptHandle": "<receipt handle>"}
BODY = b"day,amount\n2026-01-01,10.5\n2026-01-02,\n2026-01-03,7.25\n"


def exchanges(cloud: MotoCloud) -> dict[Verb, Exchange]:
    """One request and its answer for every verb; an event, for the one that nobody calls."""
    lived: dict[Verb, Exchange] = {}

    def call(verb: Verb, body: dict[str, Any]) -> dict[str, Any]:
        answer = cloud.call(verb, body)
        assert "problem" not in answer, answer
        lived[verb] = (body, answer)
        return answer

    opened = call(Verb.OPEN_SESSION, {"v": 1, "owner": "acme", "run_id": "run-42", "node": "extract"})
    followed, audited = Followed(cloud), Audited(cloud)
    token = opened["token"]
    session = Session(cloud, token, opened["session_id"], opened["workspace"])
    sha256 = hashlib.sha256(BODY).hexdigest()
    upload = {"v": 1, "token": token, "file_name": "sales.csv", "size": len(BODY), "sha256": sha256}
    key = call(Verb.PREPARE_UPLOAD, upload)["key"]
    session.put("sales.csv", BODY)
    described = {"name": "Sales", "description": "Sales by day, first days of 2026", "kind": "series"}
    registered = call(Verb.REGISTER_ARTIFACT, {"v": 1, "token": token, "key": key, **described})
    asked = {"v": 1, "token": token, "reference": registered["reference"]}
    call(Verb.LIST_ARTIFACTS, {"v": 1, "token": token, "name_contains": "sales", "limit": 10})
    call(Verb.DESCRIBE_ARTIFACT, asked)
    call(Verb.LOAD_ARTIFACT, asked)
    call(Verb.READ_ROWS, {**asked, "offset": 1, "limit": 1})
    call(Verb.READ_COLUMNS, {**asked, "columns": ["day", "amount"]})
    lived[Verb.PROFILE_ARTIFACT] = _delivered(cloud, registered["reference"])
    (record,) = (each for each in followed.records() if each["dynamodb"]["Keys"]["artifact_id"]["S"].startswith("art_"))
    lived[Verb.PUBLISH_EVENTS] = {"Records": [record]}, followed.publish([record])
    lived[Verb.AUDIT_RECORDS] = _audited(audited, registered["reference"])
    call(Verb.END_RUN, {"v": 1, "owner": "acme", "run_id": "run-42", "release_leases": True})
    call(Verb.END_CONVERSATION, {"v": 1, "owner": "acme", "conversation_id": "chat-7"})
    return lived


def _delivered(cloud: MotoCloud, reference: dict[str, Any]) -> Exchange:
    """A message of the queue, as Lambda hands it over, and what is said of it."""
    task = ProfilingTask("acme", reference["session_id"], reference["artifact_id"])
    cloud.wired.profile_queue.send(task)
    record = cloud.take_message()
    assert record is not None
    return {"Records": [record]}, cloud.deliver(record)


def _audited(audited: Audited, reference: dict[str, Any]) -> Exchange:
    """What S3 tells of a version that is gone, and whether it is done with."""
    body = json.dumps(audited.news(reference["key"], reference["version_id"]))
    return {"Records": [message("0", body)]}, {"batchItemFailures": audited.deliver(body)}


def shape(value: Any) -> Any:
    """The names and types of a document, whatever its values."""
    if isinstance(value, dict):
        return {name: shape(each) for name, each in value.items()}
    if isinstance(value, list):
        return [shape(each) for each in value]
    return type(value).__name__


def _publishable(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _SECRETS.get(name) or _publishable(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_publishable(each) for each in value]
    if isinstance(value, str) and value.startswith("http://"):
        return re.sub(r"http://[^?]*/", "https://<bucket>.s3.<region>.amazonaws.com/…/", value.partition("?")[0]) + "?…"
    return value


def main() -> None:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    for verb, pair in exchanges(MotoCloud(f"http://{host}:{port}")).items():
        for name, document in zip(("request", "response"), pair, strict=True):
            path = Path(__file__).parents[2] / "lambdas" / verb / f"{name}.json"
            path.write_text(json.dumps(_publishable(document), indent=2, ensure_ascii=False) + "\n")
    server.stop()


if __name__ == "__main__":
    main()
