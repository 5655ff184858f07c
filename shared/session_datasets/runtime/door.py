"""The door of a function: check who calls, parse, call the operation, answer. Nothing else is decided here.

A refused request is an answer (``{"v": 1, "problem": {…}}``), never an exception. What goes to the log names the
caller, the verb, the outcome and its cost; the token, presigned URLs and the rows themselves never do.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from aws_lambda_powertools import Metrics
from aws_lambda_powertools.metrics import MetricUnit
from pydantic import ValidationError

from session_datasets.domain import metrics
from session_datasets.domain.correlation import is_correlation_id, standing
from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.names import METRICS_NAMESPACE, ORCHESTRATOR_VERBS, Verb
from session_datasets.domain.scope import Caller, Scope
from session_datasets.runtime.claims import claimed_elsewhere
from session_datasets.runtime.log import log_of
from session_datasets.runtime.settings import stack_of_environment
from session_datasets.runtime.spelling import plain
from session_datasets.runtime.tracing import traced
from session_datasets.runtime.wiring import Wired
from session_datasets.storage.deadline import answering_within
from session_datasets.storage.faults import is_denied
from session_datasets.storage.faults import refusal_of as storage_refusal_of
from session_datasets.storage.narrowing import acting_for
from session_datasets.wire.base import WIRE_VERSION, Answer, Request
from session_datasets.wire.problem import ProblemModel, refusal_of

R = TypeVar("R", bound=Request)

# Stands where a node's call has its session; no session's id is like it.
_ORCHESTRATOR = "orchestrator"

# Members of an answer that are counted in metrics and told in the log.
_COUNTED = {"returned": MetricUnit.Count, "bytes_read": MetricUnit.Bytes, "s3_requests": MetricUnit.Count}
# Members of an answer that are told in the log: what an end has removed is found there when nothing else tells.
_TOLD = ("done", "removed")
# Whom the orchestrator's verbs are about, as the log names it.
_NAMED_BY_ORCHESTRATOR = ("owner", "conversation_id", "run_id", "node")


class Door(Generic[R]):
    """One verb's Lambda handler. ``wire`` builds what the operation works on; tests hand in their own. ``spell`` makes
    of an answer what Lambda's runtime is given."""

    def __init__(
        self,
        verb: Verb,
        *,
        request: type[R],
        operation: Callable[..., Any],
        answer: Callable[[R, Any], Answer],
        wire: Callable[[], Wired],
        spell: Callable[[dict[str, Any]], Any] = plain,
    ) -> None:
        self._verb = verb
        self._request = request
        self._operation = operation
        self._answer = answer
        self._wire = wire
        self._logger = log_of(verb)
        self._metrics = Metrics(namespace=METRICS_NAMESPACE, service=verb.value)
        self._spell = spell
        self._is_cold = True
        # Decorated once: to do it takes Powertools as long as a call.
        self._handle = traced(verb)(self._metrics.log_metrics(self._called))

    def __call__(self, event: Any, context: Any) -> Any:
        """The Lambda entry point."""
        return self._spell(self._handle(event, context))

    def _called(self, event: Any, context: Any) -> dict[str, Any]:
        if self._is_cold:
            # Powertools would count it by the function's name, as a metric of another kind.
            self._is_cold = False
            self._count(metrics.COLD_STARTS)
        with answering_within(context.get_remaining_time_in_millis() / 1000):
            return self.serve(event, self._wire, request_id=context.aws_request_id)

    def serve(self, body: Any, wire: Callable[[], Wired], request_id: str | None = None) -> dict[str, Any]:
        """The whole exchange without Lambda around it."""
        request_id = request_id or uuid.uuid4().hex
        correlation_id = _correlation_of(body)
        self._logger.clear_state()
        self._logger.append_keys(
            request_id=request_id, **({"correlation_id": correlation_id} if correlation_id else {})
        )
        began = time.perf_counter()
        try:
            with standing(correlation_id):
                answered = self._answered(body, self._wired(wire))
            self._tell("answered", began, answered)
        except Exception as error:
            refusal = self._refusal(error)
            answered = ProblemModel.of(refusal.problem, request_id, correlation_id).to_body()
            self._count(metrics.PROBLEMS)
            self._count(metrics.family_of(refusal.problem.code))
            self._tell("refused", began, answered, code=refusal.problem.code.value)
        return answered

    def _wired(self, wire: Callable[[], Wired]) -> Wired:
        try:
            wired = wire()
        except Exception:
            # Such a failure is every call's, and it has to count where the alarm looks.
            if stack := stack_of_environment():
                self._metrics.set_default_dimensions(stack=stack)
            raise
        self._metrics.set_default_dimensions(stack=wired.stack)
        return wired

    def _answered(self, body: Any, wired: Wired) -> dict[str, Any]:
        _check_version(body)
        arguments: list[Any] = [wired.service]
        caller: Caller | None = None
        # Who calls comes before what is asked: a stranger learns nothing about the rules of a body.
        if self._verb not in ORCHESTRATOR_VERBS:
            token = body.get("token")
            caller = wired.tokens.caller_of(token if isinstance(token, str) else None)
            self._logger.append_keys(owner=caller.owner, session_id=caller.session_id, node=caller.node)
            if claimed := claimed_elsewhere(body, caller):
                self._logger.append_keys(claimed=claimed)
                self._count(metrics.CLAIMS)
            if not caller.may(self._verb):
                raise Refusal(
                    ProblemCode.VERB_NOT_ALLOWED, f"This session may not call {self._verb}; nothing was done."
                )
            arguments.append(caller)
        _check_text(body)
        request = self._parsed(body)
        asked = request.arguments()
        if caller is None:
            self._logger.append_keys(**{name: asked[name] for name in _NAMED_BY_ORCHESTRATOR if asked.get(name)})
        with acting_for(Scope.of(caller) if caller else _of_orchestrator(asked)):
            return self._answer(request, self._operation(*arguments, **asked)).to_json()

    def _parsed(self, body: dict[str, Any]) -> R:
        try:
            return self._request.model_validate(body)
        except ValidationError as error:
            raise refusal_of(error, self._request) from None

    def _refusal(self, error: Exception) -> Refusal:
        """Any failure as an answer; one that nobody foresaw is logged whole and told by its request id only."""
        if isinstance(error, Refusal):
            return error
        if is_denied(error):
            # A grant is missing, or an operation asked for what is not its caller's.
            self._count(metrics.DENIED)
        if busy := storage_refusal_of(error):
            self._logger.warning("storage is busy", exc_info=error)
            return busy
        self._logger.error("unforeseen failure", exc_info=error)
        return Refusal(ProblemCode.INTERNAL, "The call failed for a reason of the service's own; nothing was answered.")

    def _tell(self, outcome: str, began: float, answered: dict[str, Any], **more: str) -> None:
        counted = {name: answered[name] for name in _COUNTED if name in answered}
        for name, value in counted.items():
            self._metrics.add_metric(name="rows" if name == "returned" else name, unit=_COUNTED[name], value=value)
        milliseconds = round((time.perf_counter() - began) * 1000, 1)
        self._count(metrics.CALLS)
        told = {name: answered[name] for name in _TOLD if name in answered}
        self._logger.info(outcome, extra={"milliseconds": milliseconds, **counted, **told, **more})

    def _count(self, name: str) -> None:
        self._metrics.add_metric(name=name, unit=MetricUnit.Count, value=1)


def _correlation_of(body: Any) -> str:
    """Known before anything is checked, so that any refusal carries it; one that no log may hold counts as none."""
    given = body.get("correlation_id") if isinstance(body, dict) else None
    return str(given) if is_correlation_id(given) else ""


def _of_orchestrator(asked: Mapping[str, Any]) -> Scope:
    """In whose name its verbs work: the orchestrator may do so for any owner, but for one at a time."""
    return Scope(asked["owner"], _ORCHESTRATOR, asked.get("conversation_id"), asked.get("run_id"))


def _check_text(body: dict[str, Any]) -> None:
    """JSON can spell half of a surrogate pair, which no answer that quotes it could be encoded with."""
    try:
        json.dumps(body, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError:
        raise Refusal(
            ProblemCode.INVALID_REQUEST,
            "A text of the body holds half of a surrogate pair, which is no Unicode; nothing was done.",
        ) from None


def _check_version(body: Any) -> None:
    if not isinstance(body, dict):
        raise Refusal(ProblemCode.INVALID_REQUEST, "The body is not a JSON object; nothing was done.")
    version = body.get("v", WIRE_VERSION)
    if version != WIRE_VERSION or isinstance(version, bool):
        raise Refusal(ProblemCode.UNSUPPORTED_VERSION, f"This service speaks version {WIRE_VERSION}; nothing was done.")
