"""Buckets as folders: an object is a file, and its version is the moment it was written."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path

_UPLOADS = ".uploads-"


class Objects:
    """Keeps the newest version of each object; older ones are gone, and are told to be."""

    def __init__(self, root: Path) -> None:
        self._root = root
        for left in root.glob(f"{_UPLOADS}*"):
            if not _alive(int(left.name.removeprefix(_UPLOADS))):
                shutil.rmtree(left, ignore_errors=True)
        self._uploads = root / f"{_UPLOADS}{os.getpid()}"
        self._uploads.mkdir(parents=True, exist_ok=True)

    def close(self) -> None:
        """Takes back the uploads that were not completed."""
        shutil.rmtree(self._uploads, ignore_errors=True)

    def path(self, bucket: str, key: str) -> Path:
        """Where the object lies, or would. ValueError for a key that is no path below its bucket."""
        segments = [bucket, *key.split("/")]
        if any(segment in ("", ".", "..") for segment in segments):
            raise ValueError(f"no plain key: {key!r}")
        return self._root.joinpath(*segments)

    def keys(self, bucket: str, prefix: str) -> Iterator[tuple[str, int]]:
        """Keys below ``prefix`` in order, with their sizes."""
        folder = self._root / bucket
        for path in sorted(each for each in folder.rglob("*") if each.is_file()):
            key = path.relative_to(folder).as_posix()
            if key.startswith(prefix):
                yield key, path.stat().st_size

    def put(self, path: Path, body: bytes) -> str:
        """Answers the new version's id."""
        arriving = self._uploads / uuid.uuid4().hex
        arriving.write_bytes(body)
        return self._appear(arriving, path)

    def begin(self) -> str:
        upload_id = uuid.uuid4().hex
        (self._uploads / upload_id).mkdir()
        return upload_id

    def put_part(self, upload_id: str, number: int, body: bytes) -> None:
        (self._uploads / upload_id / f"{number:05}").write_bytes(body)

    def complete(self, upload_id: str, path: Path) -> str:
        """Answers the new version's id. Raises FileNotFoundError for an upload that is not under way."""
        folder = self._uploads / upload_id
        first, *others = sorted(folder.iterdir())
        with first.open("ab") as whole:
            for part in others:
                with part.open("rb") as piece:
                    shutil.copyfileobj(piece, whole, 1 << 20)
                part.unlink()
        version_id = self._appear(first, path)
        folder.rmdir()
        return version_id

    def abort(self, upload_id: str) -> None:
        shutil.rmtree(self._uploads / upload_id, ignore_errors=True)

    def _appear(self, arrived: Path, path: Path) -> str:
        path.parent.mkdir(parents=True, exist_ok=True)
        os.replace(arrived, path)
        return version_of(path)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def version_of(path: Path) -> str:
    return f"v{path.stat().st_mtime_ns:x}"
