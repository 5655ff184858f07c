"""end_conversation and end_run as they travel."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Self

from pydantic import ConfigDict, Field

from session_datasets.wire.base import Answer, Id, Model, Request


class _EndRequest(Request):
    owner: Id = Field(description="Tenant or user: the isolation border.")
    release_leases: bool = Field(
        False, description="End it although sessions are open in it; what these still try to write is refused."
    )


class EndConversationRequest(_EndRequest):
    """end_conversation, for the orchestrator alone: ends a chat for good and removes what its workspace holds."""

    conversation_id: Id


class EndRunRequest(_EndRequest):
    """end_run, for the orchestrator alone: ends a workflow execution for good and removes what its nodes left."""

    run_id: Id


class RemovedPart(Model):
    """Counts of this call."""

    model_config = ConfigDict(from_attributes=True)

    artifacts: int = Field(description="Records.")
    artifacts_kept: int = Field(description="Artifacts of runs, taken out of the conversation and kept with their run.")
    notes: int = Field(description="Hand-overs, and marks of request tokens.")
    derived_objects: int = Field(description="Versions of what the service had written for reading.")
    file_versions: int = Field(description="Versions of files, delete markers among them.")
    uploads: int = Field(description="Uploads in parts that were never completed.")
    bytes: int = Field(description="Of all versions of files and derived objects.")


class EndAnswer(Answer):
    """``done``, or what to do ``next``: one call works for seconds, and any number of calls work one after another."""

    done: bool
    removed: RemovedPart
    ended_at: datetime = Field(description="Since when nothing can be written in it.")
    next: str | None = Field(None, description="When there is more to remove.")

    @classmethod
    def of(cls, request: Request, result: Any) -> Self:
        answer = cls.model_validate(result)
        return answer if answer.done else answer.model_copy(update={"next": "Make the same call again."})
