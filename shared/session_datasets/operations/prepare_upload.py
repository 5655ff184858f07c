"""prepare_upload: presigned requests that bring one file into the session's own workspace."""

from __future__ import annotations

from session_datasets.domain.files import UploadPlan
from session_datasets.domain.scope import Caller
from session_datasets.operations.ports import Service
from session_datasets.operations.still_open import require_open


def prepare_upload(
    service: Service,
    caller: Caller,
    *,
    file_name: str,
    size: int,
    sha256: str,
    upload_id: str | None,
    replace: bool,
) -> UploadPlan:
    """One PUT for a small file, parts for a large one, nothing at all for a file that is there already.

    An upload of a name in use becomes a new version of it. Whether a file is there is read from what its own upload
    announced; registering measures it, and where the two disagree, ``replace`` asks for an upload all the same.
    """
    key = service.files.upload_key(caller, file_name)
    require_open(service, caller)
    if upload_id is None and not replace and (there := service.files.announced(key, size, sha256)):
        return UploadPlan(key, present=True, version_id=there)
    return service.files.plan_upload(key, size, sha256, upload_id)
