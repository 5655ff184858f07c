"""The door of read_rows."""

from __future__ import annotations

from session_datasets.domain.names import Verb
from session_datasets.operations.read_rows import read_rows
from session_datasets.runtime.door import Door
from session_datasets.runtime.paging_wiring import paging
from session_datasets.runtime.spelling import spelled
from session_datasets.wire.rows import ReadRowsAnswer, ReadRowsRequest

handler = Door(
    Verb.READ_ROWS,
    request=ReadRowsRequest,
    operation=read_rows,
    answer=ReadRowsAnswer.of,
    wire=paging,
    spell=spelled,
)
