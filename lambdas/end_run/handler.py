"""The door of end_run."""

from __future__ import annotations

from session_datasets.domain.names import Verb
from session_datasets.operations.end_run import end_run
from session_datasets.runtime.door import Door
from session_datasets.runtime.wiring import keyless
from session_datasets.wire.ending import EndAnswer, EndRunRequest

handler = Door(
    Verb.END_RUN,
    request=EndRunRequest,
    operation=end_run,
    answer=EndAnswer.of,
    wire=keyless,
)
