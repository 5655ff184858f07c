"""The orchestrator's part of every state: opens the node's session, lets the node work, passes on what it answers.

The token goes to the node in the payload of one invocation, which nobody records. Were it in a state's input or output,
it would stand in the execution's history for everyone who may read that.
"""

from __future__ import annotations

import json
import os
from typing import Any

import boto3
from botocore.config import Config

from session_datasets import Orchestrator

orchestrator = Orchestrator.from_env()
# As long as a node may work; and a node that failed is tried again by the state machine, not here.
functions = boto3.client("lambda", config=Config(read_timeout=900, retries={"total_max_attempts": 1}))


class NodeFailedError(Exception):
    """The node ended without an answer."""


def handler(event: dict[str, Any], _context: object) -> Any:
    """``event``: the node's ``function``, ``run_id``, ``node`` and ``input``. The owner is that of this deployment: who
    starts an execution has no say in it."""
    session = orchestrator.open_session(owner=os.environ["OWNER"], run_id=event["run_id"], node=event["node"])
    payload = {"token": session.token, "input": event["input"]}
    answer = functions.invoke(FunctionName=event["function"], Payload=json.dumps(payload).encode())
    answered = json.loads(answer["Payload"].read())
    if "FunctionError" in answer:
        # Of the node's error the kind and the text, which hold no token; its variables stay in its own log.
        kind = str(answered.get("errorType", "NodeFailedError"))
        raise type(kind, (NodeFailedError,), {})(answered.get("errorMessage", ""))
    return answered
