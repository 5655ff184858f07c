"""The problem as it travels: RFC 9457 members and this product's extension members."""

from __future__ import annotations

from typing import Any

from pydantic import Field, ValidationError

from session_datasets.domain.errors import PROBLEM_TYPE_PREFIX, Problem, ProblemCode, Refusal
from session_datasets.wire.base import WIRE_VERSION, Model

# Field errors told in one answer; a body with more mistakes is corrected in a second round.
_FIELD_ERRORS_TOLD = 3


class ProblemModel(Model):
    """Why a request was refused and what to do next. Nothing was changed unless ``detail`` says so."""

    type: str
    title: str
    status: int
    detail: str
    # Plain text: a client of an older version still reads a code that is newer than itself.
    code: str
    advice: str
    retryable: bool
    did_you_mean: list[str] = Field(default_factory=list)
    retry_with: dict[str, Any] = Field(default_factory=dict)
    request_id: str = ""

    @classmethod
    def of(cls, problem: Problem, request_id: str) -> ProblemModel:
        kind = problem.kind
        return cls(
            type=PROBLEM_TYPE_PREFIX + problem.code,
            title=kind.title,
            status=kind.status,
            detail=problem.detail,
            code=problem.code.value,
            advice=problem.advice,
            retryable=kind.retryable,
            did_you_mean=list(problem.did_you_mean),
            retry_with=dict(problem.retry_with),
            request_id=request_id,
        )

    def to_body(self) -> dict[str, Any]:
        """The whole answer of a direct invocation."""
        members = self.model_dump(mode="json")
        members = {name: value for name, value in members.items() if value not in ([], {}, "")}
        return {"v": WIRE_VERSION, "problem": members}


def refusal_of(error: ValidationError) -> Refusal:
    """A body that does not validate, told by field, rule and (never secret) without the value."""
    told = []
    for item in error.errors(include_url=False, include_context=False, include_input=False)[:_FIELD_ERRORS_TOLD]:
        place = ".".join(str(step) for step in item["loc"]) or "the body"
        told.append(f"{place}: {item['msg']}")
    return Refusal(ProblemCode.INVALID_REQUEST, "; ".join(told) + ".")
