"""Finding the file that is to be registered, and saying what is there when it is not."""

from __future__ import annotations

from typing import Protocol

from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.files import StoredFile
from session_datasets.domain.near_names import near_names
from session_datasets.domain.scope import Caller
from session_datasets.operations.ports import Service


class WantedFile(Protocol):
    """What a caller says of the file; ``size`` in bytes, when it was announced."""

    @property
    def key(self) -> str: ...

    @property
    def version_id(self) -> str | None: ...

    @property
    def size(self) -> int | None: ...


def the_file(service: Service, caller: Caller, wanted: WantedFile) -> StoredFile:
    """The stored file, at the wanted version or the newest; a Refusal that says what is there instead."""
    file = service.files.find(wanted.key, wanted.version_id)
    if file is None:
        raise _file_not_found(service, caller, wanted)
    if file.size == 0:
        raise Refusal(
            ProblemCode.EMPTY_FILE, f"{_tail(service, caller, wanted.key)} holds 0 bytes; nothing was registered."
        )
    if wanted.size not in (None, file.size):
        raise Refusal(
            ProblemCode.SIZE_MISMATCH,
            f"{wanted.size} bytes were announced, {file.size} are there; nothing was registered.",
        )
    return file


def _file_not_found(service: Service, caller: Caller, wanted: WantedFile) -> Refusal:
    workspace = service.files.workspace(caller)
    present = service.files.near_keys(workspace)
    if wanted.version_id is not None and wanted.key in present:
        return Refusal(
            ProblemCode.FILE_CHANGED, "The file has no version with this version_id; nothing was registered."
        )
    by_tail = {key.removeprefix(workspace): key for key in present}
    near = near_names(wanted.key.removeprefix(workspace), by_tail)
    return Refusal(
        ProblemCode.FILE_NOT_FOUND,
        f"The workspace has no file {_tail(service, caller, wanted.key)}; nothing was registered.",
        did_you_mean=[by_tail[tail] for tail in near],
    )


def _tail(service: Service, caller: Caller, key: str) -> str:
    return repr(key.removeprefix(service.files.workspace(caller)))
