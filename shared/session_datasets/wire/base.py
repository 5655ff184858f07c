"""What all requests and answers share: frozen models, a major version, unknown fields ignored."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from session_datasets.domain.artifact import ARTIFACT_ID_PATTERN
from session_datasets.domain.correlation import CORRELATION_CHARACTERS_MAX, CORRELATION_PATTERN
from session_datasets.domain.limits import ID_CHARACTERS_MAX

WIRE_VERSION = 1

Id = Annotated[
    str, StringConstraints(min_length=1, max_length=ID_CHARACTERS_MAX, pattern=r"^[A-Za-z0-9][A-Za-z0-9._@-]*$")
]
ArtifactId = Annotated[str, StringConstraints(pattern=ARTIFACT_ID_PATTERN)]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class Model(BaseModel):
    # Strict, so that "10" is no limit of 10 and true no offset of 1; a reader never guesses what was meant.
    # A validator is made when its model is first used: a function knows the models of all verbs and uses those of one.
    model_config = ConfigDict(frozen=True, extra="ignore", strict=True, defer_build=True)


class Request(Model):
    """The body of one call. ``token`` is the caller's access token (the orchestrator's verbs go without)."""

    v: int = Field(WIRE_VERSION, description="Wire version, major.")
    token: str | None = Field(None, description="Access token of the session.", repr=False)
    correlation_id: str | None = Field(
        None,
        min_length=1,
        max_length=CORRELATION_CHARACTERS_MAX,
        pattern=CORRELATION_PATTERN,
        description="Of the caller's own making; the log of every function and a problem carry it.",
    )

    # Fields that say who calls and how, not what is asked.
    _ENVELOPE: ClassVar[frozenset[str]] = frozenset({"v", "token", "correlation_id"})

    def arguments(self) -> dict[str, Any]:
        """What the operation is called with."""
        return {name: getattr(self, name) for name in type(self).model_fields if name not in self._ENVELOPE}


class Answer(Model):
    """The body of one successful answer; built from the domain's own objects."""

    model_config = ConfigDict(from_attributes=True, strict=False)

    v: int = WIRE_VERSION

    @classmethod
    def of(cls, request: Request, result: Any) -> Self:
        """From what the operation gave, whose members bear the same names; a verb with more to say overrides it."""
        return cls.model_validate(result)

    def to_json(self) -> dict[str, Any]:
        """JSON values; members that are null are left out, for an answer is read by a model that pays for it."""
        return self.model_dump(mode="json", exclude_none=True)
