"""The bodies of events, as ``detail`` of an event of the bus. They tell of data and hold none: no row, no preview, no
statistic, no text of a failure (which may quote a cell), no link."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Self

from pydantic import ConfigDict, Field

from session_datasets.domain.artifact import Missing, Status
from session_datasets.domain.events import ArtifactEvent, EndEvent, Event, EventType
from session_datasets.domain.profile import Format, Kind
from session_datasets.wire.base import WIRE_VERSION, Model


class EventShape(Model):
    rows: int
    columns: int


class EventModel(Model):
    """What all events tell."""

    model_config = ConfigDict(strict=False)

    v: int = Field(WIRE_VERSION, description="Version, major; within it members are only added.")
    id: str = Field(description="Of the event: the same each time that it is delivered.")
    sequence: str = Field(description="A number: of two events of one artifact the later one has the greater.")
    occurred_at: datetime
    owner: str
    conversation_id: str | None = None
    run_id: str | None = None

    def to_detail(self) -> dict[str, Any]:
        """JSON values; members that are null are left out."""
        return self.model_dump(mode="json", exclude_none=True)


class ArtifactEventModel(EventModel):
    """An artifact was registered, can be read, can not be profiled, or lost its file."""

    session_id: str
    node: str
    artifact_id: str
    name: str
    kind: Kind
    format: Format = Field(description="Before the artifact is ready: other.")
    status: Status
    size: int = Field(description="Bytes of the file.")
    shape: EventShape | None = Field(None, description="Of a dataset, once it is known.")
    failure_code: str | None = Field(None, description="Why it could not be profiled, as docs/errors.md spells it.")
    missing: Missing | None = Field(None, description="What is gone, when the status is missing.")

    @classmethod
    def of(cls, event: ArtifactEvent) -> Self:
        summary = event.image.summary
        shape = None
        if summary.rows is not None and summary.columns is not None:
            shape = EventShape(rows=summary.rows, columns=summary.columns)
        return cls(
            v=WIRE_VERSION,
            id=event.id,
            sequence=event.sequence,
            occurred_at=event.at,
            owner=event.scope.owner,
            conversation_id=event.scope.conversation_id,
            run_id=event.scope.run_id,
            session_id=summary.session_id,
            node=summary.node,
            artifact_id=summary.artifact_id,
            name=summary.name,
            kind=summary.kind,
            format=summary.format,
            status=summary.status,
            size=summary.size,
            shape=shape,
            failure_code=event.image.failure_code,
            missing=event.image.missing,
        )


class EndEventModel(EventModel):
    """A conversation or a run is over for good, and what it has left is being removed."""

    @classmethod
    def of(cls, event: EndEvent) -> Self:
        of_run = event.type is EventType.RUN_ENDED
        return cls(
            v=WIRE_VERSION,
            id=event.id,
            sequence=event.sequence,
            occurred_at=event.at,
            owner=event.scope.owner,
            conversation_id=None if of_run else event.scope.id,
            run_id=event.scope.id if of_run else None,
        )


_ENDS = (EventType.CONVERSATION_ENDED, EventType.RUN_ENDED)


def model_of(type_: EventType) -> type[EventModel]:
    return EndEventModel if type_ in _ENDS else ArtifactEventModel


def detail_of(event: Event) -> dict[str, Any]:
    model = EndEventModel.of(event) if isinstance(event, EndEvent) else ArtifactEventModel.of(event)
    return model.to_detail()
