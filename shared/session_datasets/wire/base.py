"""What all requests and answers share: frozen models, a major version, unknown fields ignored."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from session_datasets.domain.artifact import ARTIFACT_ID_PATTERN
from session_datasets.domain.correlation import CORRELATION_CHARACTERS_MAX, CORRELATION_PATTERN
from session_datasets.domain.limits import ID_CHARACTERS_MAX

WIRE_VERSION = 1

_ID_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._@-]*$"
_SHA256_PATTERN = r"^[0-9a-f]{64}$"


class AdvisedError(ValueError):
    """A broken rule of a field that says by itself what to do next."""

    def __init__(self, detail: str, advice: str) -> None:
        super().__init__(detail)
        self.advice = advice


def in_words(pattern: str, rule: str) -> AfterValidator:
    """A text must be as ``pattern`` says, which schemas hold for programs; who breaks it is told ``rule`` instead."""

    def checked(value: str) -> str:
        if re.fullmatch(pattern, value) is None:
            raise ValueError(rule)
        return value

    return AfterValidator(checked)


def told_in_schemas(pattern: str) -> Any:
    return Field(json_schema_extra={"pattern": pattern})


def _artifact_id(value: str) -> str:
    if re.fullmatch(ARTIFACT_ID_PATTERN, value) is None:
        # Imported by failures alone: a page starts without what takes secrets out of them.
        from session_datasets.domain.artifact_ids import name_meant, no_artifact_id

        found = f" with name_contains {name!r} to find" if (name := name_meant(value)) else " to see"
        raise AdvisedError(no_artifact_id(value), f"Call list_artifacts{found} the artifact_id, and use it unchanged.")
    return value


Id = Annotated[
    str,
    StringConstraints(min_length=1, max_length=ID_CHARACTERS_MAX),
    in_words(_ID_PATTERN, "takes letters, digits and . _ @ - only, and begins with a letter or digit"),
    told_in_schemas(_ID_PATTERN),
]
ArtifactId = Annotated[str, AfterValidator(_artifact_id), told_in_schemas(ARTIFACT_ID_PATTERN)]
Sha256 = Annotated[
    str,
    in_words(_SHA256_PATTERN, "is no SHA-256: it takes 64 digits and letters a to f, lower-case"),
    told_in_schemas(_SHA256_PATTERN),
]
CorrelationId = Annotated[
    str,
    StringConstraints(min_length=1, max_length=CORRELATION_CHARACTERS_MAX),
    in_words(CORRELATION_PATTERN, "takes letters, digits and . _ : @ / = - only, and begins with a letter or digit"),
    told_in_schemas(CORRELATION_PATTERN),
]


class Model(BaseModel):
    # Strict, so that "10" is no limit of 10 and true no offset of 1; a reader never guesses what was meant.
    # A validator is made when its model is first used: a function knows the models of all verbs and uses those of one.
    model_config = ConfigDict(frozen=True, extra="ignore", strict=True, defer_build=True)


class Request(Model):
    """The body of one call. ``token`` is the caller's access token (the orchestrator's verbs go without)."""

    v: int = Field(WIRE_VERSION, description="Wire version, major.")
    token: str | None = Field(None, description="Access token of the session.", repr=False)
    correlation_id: CorrelationId | None = Field(
        None, description="Of the caller's own making; the log of every function and a problem carry it."
    )

    # Fields that say who calls and how, not what is asked.
    _ENVELOPE: ClassVar[frozenset[str]] = frozenset({"v", "token", "correlation_id"})
    # Advice for fields whose bounds in the schema are not the whole rule.
    TAKES: ClassVar[Mapping[str, str]] = {}

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
