"""What the orchestrator holds: the right to open sessions and to end what they belong to, and the session it hands to
a node."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Self

from session_datasets.client.calls import Calls
from session_datasets.client.errors import StillInUseError
from session_datasets.client.surroundings import Surroundings
from session_datasets.client.transport import Transport
from session_datasets.client.workspace import Workspace
from session_datasets.domain.correlation import correlated
from session_datasets.domain.names import ENV_TOKEN, Verb
from session_datasets.wire.answers import OpenSessionAnswer
from session_datasets.wire.ending import EndAnswer, RemovedPart


@dataclass(frozen=True)
class Session:
    """One opened session. Whoever holds ``token`` is this session until ``expires_at``."""

    token: str = field(repr=False)
    session_id: str
    workspace_prefix: str
    expires_at: datetime
    transport: Transport = field(repr=False)
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)

    def workspace(self, directory: Path | str | None = None) -> Workspace:
        """This session's workspace, for a node in the same process."""
        return Workspace(self.token, self.transport, directory)

    def environment(self) -> dict[str, str]:
        """The variables from which ``Workspace.from_env()`` in the node's sandbox finds this session."""
        return {**self.variables, ENV_TOKEN: self.token}


# Called after every call with what all of them together have removed so far.
OnRemoved = Callable[[RemovedPart], None]


class Orchestrator:
    """Opens sessions, ends conversations and runs. Its right to do so is its own AWS credentials', never a token."""

    def __init__(self, transport: Transport, variables: Mapping[str, str] | None = None) -> None:
        """``variables`` are handed on to every node's environment."""
        self._transport = transport
        self._variables = dict(variables or {})

    @classmethod
    def from_env(cls, environment: Mapping[str, str] = os.environ) -> Self:
        """Of the stack that the environment names; endpoint, region and credentials as boto3 reads them."""
        surroundings = Surroundings.of(environment)
        return cls(surroundings.transport(), surroundings.variables())

    def open_session(
        self,
        *,
        owner: str,
        conversation_id: str | None = None,
        run_id: str | None = None,
        node: str | None = None,
        ttl_seconds: int | None = None,
        verbs: Sequence[Verb | str] | None = None,
    ) -> Session:
        """A new session of the conversation, the run or both; ``verbs`` narrows what its token allows."""
        opened = Calls(self._transport).ask(
            Verb.OPEN_SESSION,
            OpenSessionAnswer,
            owner=owner,
            conversation_id=conversation_id,
            run_id=run_id,
            node=node,
            ttl_seconds=ttl_seconds,
            verbs=list(verbs) if verbs is not None else None,
        )
        return Session(
            token=opened.token,
            session_id=opened.session_id,
            workspace_prefix=opened.workspace,
            expires_at=opened.expires_at,
            transport=self._transport,
            variables=self._variables,
        )

    def end_conversation(
        self,
        conversation_id: str,
        *,
        owner: str,
        release_leases: bool = False,
        progress: OnRemoved | None = None,
    ) -> RemovedPart:
        """Ends a chat for good and removes what its workspace holds; answers the counts of all that went.

        Artifacts of runs stay with their run. Takes as many calls as it needs; whoever dies in between calls again.
        Raises StillInUseError while sessions are open in it, unless ``release_leases`` says that they are over.
        """
        with correlated():
            return self._ended(
                Verb.END_CONVERSATION,
                progress,
                owner=owner,
                conversation_id=conversation_id,
                release_leases=release_leases,
            )

    def end_run(
        self, run_id: str, *, owner: str, release_leases: bool = False, progress: OnRemoved | None = None
    ) -> RemovedPart:
        """As ``end_conversation``, of a workflow execution and the workspaces of all its nodes."""
        with correlated():
            return self._ended(Verb.END_RUN, progress, owner=owner, run_id=run_id, release_leases=release_leases)

    def _ended(self, verb: Verb, progress: OnRemoved | None, **arguments: object) -> RemovedPart:
        calls = Calls(self._transport)
        total: RemovedPart | None = None
        while True:
            # Each call removes something or is done, so this comes to an end.
            try:
                answer = calls.ask(verb, EndAnswer, **arguments)
            except StillInUseError as error:
                # The service speaks of the wire's field; whoever holds this object passes an argument.
                error.advice = error.advice.replace("release_leases: true", "release_leases=True")
                raise
            total = answer.removed if total is None else _sum(total, answer.removed)
            if progress is not None:
                progress(total)
            if answer.done:
                return total


def _sum(first: RemovedPart, second: RemovedPart) -> RemovedPart:
    added = {name: getattr(first, name) + getattr(second, name) for name in RemovedPart.model_fields}
    return RemovedPart.model_validate(added)
