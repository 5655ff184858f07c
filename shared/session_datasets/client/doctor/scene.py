"""The scene of an examination: two owners who have never been seen before, and one file of the first."""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from session_datasets.client.errors import SessionDatasetsError
from session_datasets.client.orchestrator import Orchestrator, Session
from session_datasets.client.transport import Transport
from session_datasets.domain.names import NODE_VERBS, Verb

# Long enough for the slowest stack, and over soon if removing them should fail.
_SESSION_SECONDS = 900
_FILE = b"secret\nof the first owner\n"


@dataclass(frozen=True)
class Party:
    """One session, and what AWS's policies know of it."""

    called: str
    owner: str
    run_id: str
    session: Session

    @property
    def session_id(self) -> str:
        return self.session.session_id

    @property
    def workspace(self) -> str:
        return self.session.workspace_prefix

    def call(self, verb: Verb, **body: Any) -> dict[str, Any]:
        """What the verb answers to this session, a refusal under ``problem`` included."""
        return self.session.transport.call(verb, {"v": 1, "token": self.session.token, **body})


@dataclass
class Scene:
    """``owner`` registered ``reference``; the others have no business with it.

    ``stranger`` is of another owner, in a run of the same name; ``neighbour`` of the same owner, in another run;
    ``lister`` shares the owner's run and may list, and nothing else.
    """

    owner: Party
    stranger: Party
    neighbour: Party
    lister: Party
    reference: dict[str, Any]
    left: list[str] = field(default_factory=list)

    @property
    def key(self) -> str:
        return str(self.reference["key"])

    @property
    def artifact_id(self) -> str:
        return str(self.reference["artifact_id"])


@contextmanager
def scene(transport: Transport) -> Iterator[Scene]:
    """Opened, and ended with all that was made in it; raises SessionDatasetsError when it can not be set."""
    orchestrator, name = Orchestrator(transport), secrets.token_hex(6)
    first, second = f"doctor-{name}-a", f"doctor-{name}-b"
    opened: list[Party] = []

    def party(called: str, owner: str, run: str, verbs: tuple[Verb, ...] = NODE_VERBS) -> Party:
        run_id = f"doctor-{run}"
        session = orchestrator.open_session(
            owner=owner, run_id=run_id, node="doctor", ttl_seconds=_SESSION_SECONDS, verbs=verbs
        )
        opened.append(Party(called, owner, run_id, session))
        return opened[-1]

    left: list[str] = []
    try:
        owner = party("the owner", first, "1")
        yield Scene(
            owner=owner,
            stranger=party("another owner", second, "1"),
            neighbour=party("another run", first, "2"),
            lister=party("a session that may list only", first, "1", (Verb.LIST_ARTIFACTS,)),
            reference=_registered(owner),
            left=left,
        )
    finally:
        for ended in sorted({(each.owner, each.run_id) for each in opened}):
            left += _removed(orchestrator, *ended)


def _registered(owner: Party) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "doctor.csv"
        file.write_bytes(_FILE)
        answer = owner.session.workspace(folder).register_artifact(file, name="doctor")
    return answer.reference.model_dump(mode="json", exclude_none=True)


def _removed(orchestrator: Orchestrator, owner: str, run_id: str) -> list[str]:
    """What could not be removed."""
    try:
        orchestrator.end_run(run_id, owner=owner, release_leases=True)
    except SessionDatasetsError as error:
        return [f"run {run_id} of {owner}: {error}"]
    return []
