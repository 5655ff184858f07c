"""Where the files behind references lie. Two stand behind ``Store``: a session's workspace, and a folder."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from io import BufferedReader
from pathlib import Path
from typing import Protocol

from session_datasets.boundary.references.errors import (
    ChangedReferenceError,
    MissingReferenceError,
    OutsideReferenceError,
    WrongStoreError,
)
from session_datasets.boundary.references.pointer import Place

_UNSAFE = re.compile(r"[^A-Za-z0-9._\-]+")
_SLUG_CHARACTERS_MAX = 60
_STORED_NAME = re.compile(r"[A-Za-z0-9_\-][A-Za-z0-9._\-]{0,199}")
_OUTSIDE_ADVICE = "Pass a reference exactly as this store gave it."


class Store(Protocol):
    """Keeps files by content: the same name with other bytes is another file, so nothing is ever overwritten."""

    def put(self, file: Path, *, name: str, sha256: str) -> Place:
        """Keeps the bytes of ``file``, which stays the caller's; answers where they lie, as JSON."""

    def opened(self, place: Place, *, size: int, sha256: str) -> AbstractContextManager[BufferedReader]:
        """The file at ``place`` for reading; the handle is good until the context ends.

        Refused before anything is read: a place outside the store, and a file that is not ``size`` bytes. Whether the
        bytes have the hash, the reader checks. Raises DatasetReferenceError.
        """


def file_name_of(name: str, sha256: str, suffix: str) -> str:
    """``rows-3f2a….parquet``: of a name only what is safe anywhere; the content tells files of one name apart."""
    slug = _UNSAFE.sub("_", name).strip("._-")[:_SLUG_CHARACTERS_MAX] or "value"
    return f"{slug}-{sha256[:32]}{suffix}"


class FolderStore:
    """A directory that all nodes share, without any cloud: for tests, and for runs on one machine."""

    def __init__(self, directory: Path | str) -> None:
        """Makes the directory when it is not there."""
        self._root = Path(directory).absolute()
        self._root.mkdir(parents=True, exist_ok=True)

    def __repr__(self) -> str:
        return f"FolderStore({str(self._root)!r})"

    def put(self, file: Path, *, name: str, sha256: str) -> Place:
        key = file_name_of(name, sha256, file.suffix)
        # Written beside and renamed: whoever finds the name finds the whole file.
        part = self._root / f".part-{secrets.token_hex(8)}"
        # As readable as the umask says, for other nodes may run as other users; mkstemp's is its maker's alone.
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666)
        try:
            with os.fdopen(handle, "wb") as target, file.open("rb") as source:
                shutil.copyfileobj(source, target)
            os.replace(part, self._root / key)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        return {"key": key}

    @contextmanager
    def opened(self, place: Place, *, size: int, sha256: str) -> Iterator[BufferedReader]:
        path = self._root / _key_in(place)
        try:
            # No link is followed, wherever it leads.
            handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except FileNotFoundError:
            raise MissingReferenceError(
                f"There is no file {path.name!r} in the folder any more.",
                "Run the node that produced it again, and pass its new reference.",
            ) from None
        except OSError as error:
            raise OutsideReferenceError(
                f"{path.name!r} is no file of this folder ({error.strerror}); nothing was read.", _OUTSIDE_ADVICE
            ) from None
        try:
            found = os.fstat(handle)
            if not stat.S_ISREG(found.st_mode):
                raise OutsideReferenceError(f"{path.name!r} is no plain file; nothing was read.", _OUTSIDE_ADVICE)
            if found.st_size != size:
                raise changed(repr(path.name))
            with os.fdopen(handle, "rb", closefd=False) as file:
                yield file
        finally:
            os.close(handle)


def changed(which: str) -> ChangedReferenceError:
    return ChangedReferenceError(
        f"The file {which} does not have the bytes that the reference was made of; they were not used.",
        "Run the node that produced it again, and pass its new reference.",
    )


def wrong_store(place: Place, wanted: str) -> WrongStoreError:
    return WrongStoreError(
        f"The place of the reference has {', '.join(sorted(map(str, place)))}, and this store knows {wanted} only.",
        "Pass the store that the reference was saved to.",
    )


def _key_in(place: Place) -> str:
    """The file name, which leads nowhere but into the folder: this store never made any other."""
    if place.keys() != {"key"}:
        raise wrong_store(place, "a key")
    key = place["key"]
    if type(key) is not str or not _STORED_NAME.fullmatch(key):
        raise OutsideReferenceError("The key is no name that this folder gave; nothing was read.", _OUTSIDE_ADVICE)
    return key
