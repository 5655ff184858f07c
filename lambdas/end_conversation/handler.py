"""The door of end_conversation."""

from __future__ import annotations

from session_datasets.domain.names import Verb
from session_datasets.operations.end_conversation import end_conversation
from session_datasets.runtime.door import Door
from session_datasets.runtime.wiring import keyless
from session_datasets.wire.ending import EndAnswer, EndConversationRequest

handler = Door(
    Verb.END_CONVERSATION,
    request=EndConversationRequest,
    operation=end_conversation,
    answer=EndAnswer.of,
    wire=keyless,
)
