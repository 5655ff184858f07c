"""The door of read_columns."""

from __future__ import annotations

from session_datasets.domain.names import Verb
from session_datasets.operations.read_columns import read_columns
from session_datasets.runtime.door import Door
from session_datasets.runtime.spelling import spelled
from session_datasets.runtime.tabular_wiring import tabular
from session_datasets.wire.answers import ReadColumnsAnswer
from session_datasets.wire.requests import ReadColumnsRequest

handler = Door(
    Verb.READ_COLUMNS,
    request=ReadColumnsRequest,
    operation=read_columns,
    answer=ReadColumnsAnswer.of,
    wire=tabular,
    spell=spelled,
)
