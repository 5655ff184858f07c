"""What trials are made of: sessions nobody else has, messages delivered by hand, requests below the door."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from uuid import uuid4

from botocore.exceptions import ClientError

from session_datasets.domain.names import Verb
from tests.support.enforced_cloud import EnforcedCloud
from tests.support.sessions import Answer, Session

# Whether it succeeds now.
Try = Callable[[], bool]
Trial = Callable[[EnforcedCloud], Try]
Opened = Callable[[EnforcedCloud], Session]


def new(what: str) -> str:
    return f"{what}-{uuid4().hex}"


def in_run(cloud: EnforcedCloud, run_id: str | None = None) -> Session:
    return Session.open(cloud, run_id=run_id or new("run"))


def in_conversation(cloud: EnforcedCloud, conversation_id: str | None = None) -> Session:
    return Session.open(cloud, conversation_id=conversation_id or new("talk"))


def new_body() -> bytes:
    """Of a file that nobody registered before."""
    return f"a,b\n1,{uuid4().hex}\n".encode()


def message(text: str | Answer) -> Answer:
    """As Lambda hands a queue's message over."""
    return {
        "messageId": "by-hand",
        "receiptHandle": "by-hand",
        "body": text if isinstance(text, str) else json.dumps(text),
        "attributes": {"ApproximateReceiveCount": "1"},
    }


def delivered(cloud: EnforcedCloud, verb: Verb, record: Answer) -> Try:
    """Delivers the record here, while its queue or stream delivers nothing; done when it is not to come again."""
    functions = cloud.account.client("lambda")
    return lambda: not cloud.invoked(functions, verb, {"Records": [record]})["batchItemFailures"]


def allowed(call: Callable[..., Any], **arguments: Any) -> bool:
    try:
        call(**arguments)
    except ClientError as error:
        if not error.response["Error"]["Code"].startswith("AccessDenied"):
            raise
        return False
    return True
