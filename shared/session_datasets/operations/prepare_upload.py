"""prepare_upload: presigned requests that bring one file into the session's own workspace."""

from __future__ import annotations

from session_datasets.domain.files import UploadPlan
from session_datasets.domain.scope import Caller
from session_datasets.operations.ports import Service


def prepare_upload(service: Service, caller: Caller, *, file_name: str, size: int, sha256: str) -> UploadPlan:
    """One PUT for a small file, parts for a large one. An upload of a name in use becomes a new version of it."""
    return service.files.plan_upload(service.files.upload_key(caller, file_name), size, sha256)
