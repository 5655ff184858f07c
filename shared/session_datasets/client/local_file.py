"""The file to upload: measured once, read in windows; a frame becomes one on its way."""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from session_datasets.client.errors import TransferError
from session_datasets.domain.limits import MIB

_CHUNK_BYTES = 1 * MIB


@dataclass(frozen=True, slots=True)
class LocalFile:
    """``size`` in bytes, ``sha256`` in lower-case hex; what they describe is the file as it was when measured."""

    path: Path
    file_name: str
    size: int
    sha256: str

    @classmethod
    def measured(cls, path: Path, file_name: str | None = None) -> Self:
        """Reads the file once. OSError as from ``open``."""
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256")
            return cls(path, file_name or path.name, os.fstat(file.fileno()).st_size, digest.hexdigest())


class FileWindow(io.RawIOBase):
    """``size`` bytes of a file from ``offset`` on, as a body to send; ``on_read`` hears how many bytes left."""

    def __init__(self, path: Path, offset: int, size: int, on_read: Callable[[int], None]) -> None:
        self._file = path.open("rb")
        self._file.seek(offset)
        self._left = size
        self._on_read = on_read

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        wanted = self._left if size is None or size < 0 else min(size, self._left)
        data = self._file.read(wanted)
        if len(data) < wanted:
            raise TransferError("The file became shorter while it was sent.", "Register it again when it is complete.")
        self._left -= len(data)
        self._on_read(len(data))
        return data

    def close(self) -> None:
        self._file.close()
        super().close()


def md5_of(path: Path, offset: int, size: int) -> bytes:
    """S3 checks a body against this while it takes it; what is kept is checked by SHA-256."""
    digest = hashlib.md5(usedforsecurity=False)
    with FileWindow(path, offset, size, on_read=lambda _: None) as window:
        while data := window.read(_CHUNK_BYTES):
            digest.update(data)
    return digest.digest()
