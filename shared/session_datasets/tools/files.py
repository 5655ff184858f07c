"""Files that a model names: inside the working directory, whatever it writes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from session_datasets.client.errors import SessionDatasetsError, UnsafePathError
from session_datasets.domain.near_names import near_names

# Files looked at for near names: a working directory, not a whole disk.
_FILES_LOOKED_AT = 1_000


class NoSuchFileError(SessionDatasetsError):
    title = "There is no such file"


def file_inside(directory: Path, path: str) -> Path:
    """The file that ``path`` names, links followed. UnsafePathError outside of ``directory``, NoSuchFileError for no
    file; both say that nothing was registered."""
    root = directory.resolve()
    try:
        file = (root / path).resolve()
        outside, there = not file.is_relative_to(root), file.is_file()
    except (OSError, ValueError):
        outside, there = False, False
    if outside:
        raise UnsafePathError(
            f"{path!r} is not inside the working directory; nothing was registered.",
            "Write the file into the working directory and pass its path relative to it.",
        )
    if not there:
        raise _missing(root, path)
    return file


def _missing(root: Path, path: str) -> NoSuchFileError:
    near = near_names(path, _files_below(root))
    meant = f"Did you mean {' or '.join(map(repr, near))}? " if near else ""
    advice = f"{meant}Write the file first, then register it."
    return NoSuchFileError(f"There is no file {path[:255]!r} in the working directory; nothing was registered.", advice)


def _files_below(root: Path) -> Iterator[str]:
    looked_at = 0
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        for name in sorted(files):
            looked_at += 1
            if looked_at > _FILES_LOOKED_AT:
                return
            yield str((Path(folder) / name).relative_to(root))
