"""The service in this process: the real doors and stores on the stand-in, the record handed over from a file.

A record is one DynamoDB read that a process makes once for each dataset and remembers; here it is read before
anything is measured, so that what is counted is what a warm function asks of S3.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from session_datasets.domain.artifact import Artifact, Location, Reference, Status, artifact_id
from session_datasets.domain.keyring import Keyring, SigningKey
from session_datasets.domain.names import NODE_VERBS, Verb
from session_datasets.domain.profile import NO_HINTS, Kind, Layout
from session_datasets.domain.scope import Caller, Scope
from session_datasets.runtime.settings import Settings
from session_datasets.runtime.wiring import wired
from session_datasets.storage.aws import s3_client
from tests.bench.given import BUCKET

_CALLER = Caller("bench", "ses-bench", "bench", "bench", None, frozenset(NODE_VERBS))
_KEYRING = Keyring(SigningKey("bench", "of-no-use-outside-this-benchmark"))
_ARTIFACT = TypeAdapter(Artifact)


@dataclass(frozen=True)
class HeldRecords:
    """As much of ``operations.ports.ArtifactRecords`` as reading asks for, for one artifact."""

    artifact: Artifact | None

    def find(self, caller: Caller, reference: Reference) -> Artifact | None:
        known = self.artifact
        if known is None or known.artifact_id != reference.artifact_id or not known.scope.visible_to(caller):
            return None
        return known

    find_recent = find


class BenchService:
    """Needs boto3's environment to point at the stand-in. ``record`` is where the artifact's record lies; ``tables``
    those that the functions in question are wired with."""

    def __init__(self, tables: Any, record: Path | None = None) -> None:
        settings = Settings(stack="bench", signing_key_secret="", bucket=BUCKET, table="")
        plain = wired(settings, lambda: _KEYRING, s3=s3_client(), dynamodb=None, sqs=None, tables=tables)
        self.derived = plain.service.derived
        self.artifact = _ARTIFACT.validate_json(record.read_bytes()) if record else None
        records: Any = HeldRecords(self.artifact)
        self._wired = replace(plain, service=replace(plain.service, records=records))
        now = datetime.now(UTC)
        self._token = plain.tokens.issue(_CALLER, issued_at=now, expires_at=now + timedelta(hours=2))

    def call(self, verb: Verb, **body: Any) -> dict[str, Any]:
        """One exchange with the handler's own door. RuntimeError for a problem."""
        assert self.artifact
        door = import_module(f"lambdas.{verb.value}.handler").handler
        reference = {"artifact_id": self.artifact.artifact_id, "session_id": self.artifact.session_id}
        answer: dict[str, Any] = door.serve(
            {"v": 1, "token": self._token, "reference": reference, **body}, lambda: self._wired
        )
        if "problem" in answer:
            raise RuntimeError(f"{answer['problem']['code']}: {answer['problem']['detail']}")
        return answer

    def lay_out(self, file: Path, name: str) -> Artifact:
        """What registration does with a file that is on its disk; the derived objects go to the stand-in."""
        service, new_id = self._wired.service, _id_of(name)
        with service.derived.writer(Scope.of(_CALLER), new_id) as writer:
            table = service.tables.lay_out(file, file.name, NO_HINTS, writer)
            if table.layout_name is None:
                raise RuntimeError(f"{file.name} has no rows to page: {table.note}")
            layout = Layout(table.layout_name, writer.commit(), table.layout_parameters)
        return Artifact(
            artifact_id=new_id,
            scope=Scope.of(_CALLER),
            node=_CALLER.node,
            name=name,
            description="",
            kind=Kind.TABLE,
            format=table.format,
            status=Status.READY,
            location=Location(BUCKET, file.name, "v1", file.stat().st_size, "0" * 64),
            created_at=datetime.now(UTC),
            profile=table.profile,
            layout=layout,
            note=table.note,
        )


def _id_of(name: str) -> str:
    """The same for every run, so that a run replaces what an earlier one wrote."""
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    session_id, version_id = _CALLER.session_id, "v1"
    return artifact_id(
        owner=_CALLER.owner, session_id=session_id, key=name, version_id=version_id, name=name, written_at=moment
    )


def write_record(artifact: Artifact, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(_ARTIFACT.dump_json(artifact))
