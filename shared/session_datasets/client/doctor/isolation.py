"""The examination of a stack's isolation, from the doors down to the stores."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from session_datasets.client.doctor.attempt import Attempt, Findings, Note, judged, untried
from session_datasets.client.doctor.below import DENIED, NOT_ENFORCED, MakeClient, below_the_doors, is_enforced
from session_datasets.client.doctor.doors import through_the_doors
from session_datasets.client.doctor.scene import Scene, scene
from session_datasets.client.transport import Transport
from session_datasets.domain.names import LIVE_ALIAS, ORCHESTRATOR_VERBS, function_name

_NODE = "a node's credentials"
_NO_PROFILE = "name them with --node-profile"


def examined(
    transport: Transport, stack: str, client: MakeClient, nodes_functions: Any | None, note: Note = lambda _: None
) -> Findings:
    """Tries what must not be possible on ``stack``, and removes what it made.

    ``nodes_functions`` is a client of Lambda with a node's credentials, None when there are none to try. Each attempt
    is told to ``note`` as it is made. Where no policies are enforced, only the doors are tried. Raises
    SessionDatasetsError when the scene can not be set.
    """
    attempts: list[Attempt] = []

    def keep(attempt: Attempt) -> None:
        attempts.append(attempt)
        note(attempt)

    enforced = is_enforced(client)
    with scene(transport) as set_:
        for each in through_the_doors(set_):
            keep(each)
        for each in _by_policies(set_, stack, client, nodes_functions) if enforced else _not_enforced(stack):
            keep(each)
    return Findings(tuple(attempts), tuple(set_.left), enforced)


def _by_policies(set_: Scene, stack: str, client: MakeClient, nodes_functions: Any | None) -> Iterator[Attempt]:
    for verb in ORCHESTRATOR_VERBS:
        yield _as_node(function_name(stack, verb), nodes_functions)
    yield from below_the_doors(set_, stack, client)


def _not_enforced(stack: str) -> Iterator[Attempt]:
    yield untried(_NODE, f"Lambda Invoke of what opens and ends in {stack}", DENIED, NOT_ENFORCED)
    yield untried("the credentials of a call", "S3 and DynamoDB of others", DENIED, NOT_ENFORCED)


def _as_node(function: str, functions: Any | None) -> Attempt:
    what = f"Lambda Invoke of {function}"
    if functions is None:
        return untried(_NODE, what, DENIED, _NO_PROFILE)
    # As callers invoke it, and without the alias: a policy allows the one or the other.
    came = {_came_of(function, functions, **named) for named in ({"Qualifier": LIVE_ALIAS}, {})}
    if "invoked" in came:
        return judged(_NODE, what, [DENIED], "invoked")
    if unclear := sorted(came - {DENIED}):
        return untried(_NODE, what, DENIED, ", ".join(unclear))
    return judged(_NODE, what, [DENIED], DENIED)


def _came_of(function: str, functions: Any, **named: str) -> str:
    try:
        # No body that any version would take: where it gets through, nothing is opened and nothing ended.
        functions.invoke(FunctionName=function, Payload=json.dumps({"v": 0}).encode(), **named)
    except Exception as error:
        response: Mapping[str, Any] = getattr(error, "response", {})
        code = str(response.get("Error", {}).get("Code", type(error).__name__))
        return DENIED if code in ("AccessDeniedException", "AccessDenied") else f"answered {code}"
    return "invoked"
