"""Brings one registered file into the working directory: written beside, checked, then named."""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from urllib3.response import BaseHTTPResponse

from session_datasets.client import landing
from session_datasets.client.errors import ChecksumError, NotEnoughSpaceError, TransferError
from session_datasets.client.http import FileHttp, retryable
from session_datasets.client.patience import Patience
from session_datasets.client.progress import OnProgress, Progress
from session_datasets.domain.limits import MIB
from session_datasets.wire.answers import LoadArtifactAnswer, PresignedPart

_CHUNK_BYTES = 1 * MIB
_PARTIAL_CONTENT = 206

# Asks the service again: the file is the same, the permission to fetch it is new.
Prepare = Callable[[], LoadArtifactAnswer]


class Downloads:
    def __init__(self, http: FileHttp, patience: Patience) -> None:
        self._http = http
        self._patience = patience

    def download(
        self,
        prepare: Prepare,
        directory: Path,
        to: Path | str | None,
        *,
        overwrite: bool = False,
        tell: OnProgress | None = None,
    ) -> Path:
        """The path of the whole, checked file. What a broken transfer left is taken up by the next one."""
        offer = prepare()
        target = landing.target_in(directory, to, offer.file_name)
        landing.make_parents(directory, target)
        path, there = _place(target, offer, overwrite)
        if there:
            Progress(offer.size, tell).add(offer.size)
            return path
        with _part_of(target, offer.sha256) as (part, file):
            incoming = _Incoming(file, offer.size, tell)
            _require_space(part.parent, offer.size - incoming.have)
            self._fill(incoming, offer, prepare)
            _check(part, offer)
            return _named(part, target, offer, overwrite)

    def _fill(self, incoming: _Incoming, offer: LoadArtifactAnswer, prepare: Prepare) -> None:
        """Fetches what is missing. Tries are counted anew whenever one of them brought bytes."""
        request, failures = offer.download, 0
        while (have := incoming.have) < incoming.size:
            if request is None:
                raise TransferError("The service offered no download.", "Use an SDK of its version.")
            try:
                self._fetch(incoming, request)
            except TransferError as error:
                failures = 1 if incoming.have > have else failures + 1
                if not (retryable(error) or error.expired) or not self._patience.tries_again(failures):
                    raise
                if error.expired:
                    request = prepare().download

    def _fetch(self, incoming: _Incoming, request: PresignedPart) -> None:
        """One request for the rest."""
        with self._http.stream(request, headers=incoming.wanted()) as response:
            incoming.take(response)
        if incoming.have < incoming.size:
            raise TransferError("The connection to the storage ended early.")


class _Incoming:
    """The part of a file that has come so far, at the end of which ``file`` stands. ``size`` in bytes, of the whole."""

    def __init__(self, file: BinaryIO, size: int, tell: OnProgress | None) -> None:
        self._file = file
        self._etag: str | None = None
        self.size = size
        self._progress = Progress(size, tell)
        if file.seek(0, os.SEEK_END) > size:
            # Longer than the whole: it is none of it.
            self._start_over()
        self._progress.add(self.have)

    @property
    def have(self) -> int:
        return self._file.tell()

    def wanted(self) -> dict[str, str]:
        """The headers of a request for the rest, of the object that the first answer was of."""
        return {"Range": f"bytes={self.have}-"} | ({"If-Match": self._etag} if self._etag else {})

    def take(self, response: BaseHTTPResponse) -> None:
        """Keeps what arrives, also of an answer that breaks off."""
        self._etag = response.headers.get("ETag")
        if response.status != _PARTIAL_CONTENT and self.have:
            # The whole file comes although the rest was asked for.
            self._progress.add(-self.have)
            self._start_over()
        try:
            for chunk in response.stream(_CHUNK_BYTES, decode_content=False):
                if self.have + len(chunk) > self.size:
                    raise ChecksumError("The storage sent more bytes than were registered; nothing was kept.")
                self._file.write(chunk)
                self._progress.add(len(chunk))
        finally:
            self._file.flush()

    def _start_over(self) -> None:
        self._file.seek(0)
        self._file.truncate()


def _place(target: Path, offer: LoadArtifactAnswer, overwrite: bool) -> tuple[Path, bool]:
    """Where the file goes, and whether it is there already."""
    if overwrite:
        landing.refuse_folder(target)
        return target, landing.holds(target, offer.size, offer.sha256)
    return landing.free_or_same(target, offer.size, offer.sha256)


@contextmanager
def _part_of(target: Path, sha256: str) -> Iterator[tuple[Path, BinaryIO]]:
    """The unfinished file beside its target, held by this transfer alone and kept when the transfer breaks.

    It is named by its content, so a later call goes on with it and no other file's bytes get into it.
    """
    part = target.with_name(f".{sha256[:16]}.part")
    if _is_something_else(part):
        part = _part_of_its_own(target, sha256)
    file = _opened(part)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # The transfer that held it may have finished and renamed it between the two calls.
        mine = not _is_something_else(part) and part.stat().st_ino == os.fstat(file.fileno()).st_ino
    except OSError:
        # Held by another transfer, or a file system without locks: then it is not shared at all.
        mine = False
    if not mine:
        file.close()
        part = _part_of_its_own(target, sha256)
        file = _opened(part)
    with file:
        try:
            yield part, file
        except ChecksumError:
            part.unlink(missing_ok=True)
            raise


def _part_of_its_own(target: Path, sha256: str) -> Path:
    return target.with_name(f".{sha256[:16]}.{secrets.token_hex(4)}.part")


def _is_something_else(part: Path) -> bool:
    """A link, a pipe, or a file that has another name as well: what is written to it would be written elsewhere."""
    if not os.path.lexists(part):
        return False
    known = part.lstat()
    return not stat.S_ISREG(known.st_mode) or known.st_nlink > 1


def _opened(part: Path) -> BinaryIO:
    # O_NOFOLLOW: a link of that name would lead the bytes elsewhere.
    descriptor = os.open(part, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    return os.fdopen(descriptor, "r+b")


def _require_space(directory: Path, needed: int) -> None:
    free = shutil.disk_usage(directory).free
    if free < needed:
        raise NotEnoughSpaceError(
            f"{needed:,} bytes are to be loaded and the disk has room for {free:,}; nothing was loaded.",
            "Free some space, or read pages with read_rows instead of loading the file.",
        )


def _check(part: Path, offer: LoadArtifactAnswer) -> None:
    if landing.holds(part, offer.size, offer.sha256):
        return
    raise ChecksumError("The loaded bytes do not have the registered sha256; nothing was kept.", "Load it again.")


def _named(part: Path, target: Path, offer: LoadArtifactAnswer, overwrite: bool) -> Path:
    """The finished file under its name, in one step: a reader sees all of it or nothing."""
    if overwrite:
        os.replace(part, target)
        return target
    while True:
        path, there = landing.free_or_same(target, offer.size, offer.sha256)
        if there:
            part.unlink()
            return path
        if _moved(part, path):
            return path


def _moved(part: Path, path: Path) -> bool:
    """False when something came up at ``path`` meanwhile: a hard link, unlike a rename, never replaces a file."""
    try:
        os.link(part, path)
    except FileExistsError:
        return False
    except OSError:
        # A file system without hard links; between the look and the rename there is a moment, and no better way.
        if os.path.lexists(path):
            return False
        os.rename(part, path)
        return True
    part.unlink()
    return True
