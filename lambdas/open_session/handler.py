"""The door of open_session."""

from __future__ import annotations

from session_datasets.domain.names import Verb
from session_datasets.operations.open_session import open_session
from session_datasets.runtime.door import Door
from session_datasets.runtime.wiring import light
from session_datasets.wire.answers import OpenSessionAnswer
from session_datasets.wire.requests import OpenSessionRequest

handler = Door(
    Verb.OPEN_SESSION,
    request=OpenSessionRequest,
    operation=open_session,
    answer=OpenSessionAnswer.of,
    wire=light,
)
