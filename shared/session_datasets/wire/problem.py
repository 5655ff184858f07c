"""The problem as it travels: RFC 9457 members and this product's extension members."""

from __future__ import annotations

from typing import Any

from pydantic import Field, ValidationError
from pydantic_core import ErrorDetails

from session_datasets.domain.errors import PROBLEM_TYPE_PREFIX, Problem, ProblemCode, Refusal
from session_datasets.wire.base import WIRE_VERSION, AdvisedError, Model, Request

# Field errors told in one answer; a body with more mistakes is corrected in a second round.
_FIELD_ERRORS_TOLD = 3
# JSON Schema's names of a lower and an upper bound, and what they count.
_BOUNDS = (("minimum", "maximum", ""), ("minLength", "maxLength", " characters"), ("minItems", "maxItems", " entries"))
# pydantic's words name classes of ours.
_PLAIN = {"model_type": "Input should be a JSON object", "dict_type": "Input should be a JSON object"}


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
    correlation_id: str = ""

    @classmethod
    def of(cls, problem: Problem, request_id: str, correlation_id: str = "") -> ProblemModel:
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
            correlation_id=correlation_id,
        )

    def to_body(self) -> dict[str, Any]:
        """The whole answer of a direct invocation."""
        members = self.model_dump(mode="json")
        members = {name: value for name, value in members.items() if value not in ([], {}, "")}
        return {"v": WIRE_VERSION, "problem": members}


def refusal_of(error: ValidationError, model: type[Request]) -> Refusal:
    """A body that does not validate, told by field, rule and (never secret) without the value."""
    told = []
    advice = []
    for item in error.errors(include_url=False, include_input=False)[:_FIELD_ERRORS_TOLD]:
        place = ".".join(str(step) for step in item["loc"]) or "the body"
        rule = _PLAIN.get(item["type"]) or str(item["msg"]).removeprefix("Value error, ")
        told.append(f"{place}: {rule}")
        if next_step := _advice(model, item):
            advice.append(next_step)
    return Refusal(ProblemCode.INVALID_REQUEST, "; ".join(told) + ".", advice=" ".join(dict.fromkeys(advice)) or None)


def _advice(model: type[Request], item: ErrorDetails) -> str | None:
    """What to do about one broken rule, where the rule says more than that it is broken."""
    if item["type"] == "value_error":
        # A rule in words of our own: the range is not what was missed.
        broken = item["ctx"]["error"]
        return broken.advice if isinstance(broken, AdvisedError) else None
    # What a field takes says nothing of one entry of it.
    return _allowed_range(model, str(item["loc"][0])) if len(item["loc"]) == 1 else None


def _allowed_range(model: type[Request], field: str) -> str | None:
    """In words, what a field with two bounds takes."""
    if field in model.TAKES:
        return model.TAKES[field]
    schema = model.model_json_schema()["properties"].get(field, {})
    for option in [schema, *schema.get("anyOf", [])]:
        for low, high, what in _BOUNDS:
            if low in option and high in option:
                return f"{field} takes {option[low]:,} to {option[high]:,}{what}."
            if high in option:
                return f"{field} takes at most {option[high]:,}{what}."
            if low in option:
                return f"{field} takes at least {option[low]:,}{what}."
    return None
