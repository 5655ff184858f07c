"""The door of prepare_upload."""

from __future__ import annotations

from session_datasets.domain.names import Verb
from session_datasets.operations.prepare_upload import prepare_upload
from session_datasets.runtime.door import Door
from session_datasets.runtime.wiring import light
from session_datasets.wire.answers import PrepareUploadAnswer
from session_datasets.wire.requests import PrepareUploadRequest

handler = Door(
    Verb.PREPARE_UPLOAD,
    request=PrepareUploadRequest,
    operation=prepare_upload,
    answer=PrepareUploadAnswer.of,
    wire=light,
)
