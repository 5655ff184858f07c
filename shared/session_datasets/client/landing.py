"""Where a loaded file may land: inside the working directory, through no link, over nothing that is there."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from session_datasets.client.errors import UnsafePathError

_SIBLINGS_MAX = 10_000
# Of one part of a path, on any usual file system.
_NAME_BYTES_MAX = 255
_INSIDE = "Choose a path inside the working directory, without links on the way to it."


def target_in(directory: Path, to: Path | str | None, file_name: str) -> Path:
    """The wished path: ``to`` (inside it when it is a folder), else ``file_name``. Makes no folder yet."""
    root = Path(os.path.abspath(directory))
    wish = Path(_plain_name(file_name)) if to is None else Path(to)
    if ".." in wish.parts or "\0" in str(wish):
        raise UnsafePathError(f"{str(wish)!r} may lead out of the working directory; nothing was loaded.", _INSIDE)
    target = root / wish
    if not target.is_relative_to(root):
        raise UnsafePathError(f"{str(wish)!r} is not inside the working directory; nothing was loaded.", _INSIDE)
    _refuse_links(root, target)
    if to is not None and (target.is_dir() or str(to).endswith(("/", os.sep))):
        target = target / _plain_name(file_name)
        _refuse_links(root, target)
    return target


def make_parents(directory: Path, target: Path) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise UnsafePathError(
            f"{target.name!r} can not be there: a part of its path is a file; nothing was loaded.",
            "Pass a path whose folders are folders, or do not exist yet.",
        ) from None
    # Once more, now that they exist: a link may have been put there since the target was chosen.
    _refuse_links(Path(os.path.abspath(directory)), target)


def free_or_same(target: Path, size: int, sha256: str) -> tuple[Path, bool]:
    """``target`` or its first numbered sibling that is free (False) or has these very bytes already (True)."""
    for candidate in _numbered(target):
        if not os.path.lexists(candidate):
            return candidate, False
        if holds(candidate, size, sha256):
            return candidate, True
    raise UnsafePathError(f"{target.name!r} and {_SIBLINGS_MAX} numbered siblings are taken; nothing was loaded.")


def refuse_folder(target: Path) -> None:
    """A file takes the place of a file only, whatever is to be overwritten."""
    if target.is_dir():
        raise UnsafePathError(f"{target.name!r} is a folder; nothing was loaded.", "Pass another name as to=.")


def holds(path: Path, size: int, sha256: str) -> bool:
    """Whether a plain file with exactly these bytes is there."""
    if path.is_symlink() or not path.is_file() or path.stat().st_size != size:
        return False
    return sha256_of(path) == sha256


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _plain_name(file_name: str) -> str:
    """The service's name for the file, which has no say in where it lands."""
    hostile = file_name in ("", ".", "..") or any(mark in file_name for mark in ("/", "\\", "\0"))
    if hostile or not file_name.isprintable() or file_name.startswith("."):
        raise UnsafePathError(f"{file_name!r} is not a plain file name; nothing was loaded.", "Pass a name as to=.")
    return file_name


def _refuse_links(root: Path, target: Path) -> None:
    step = root
    for part in target.relative_to(root).parts:
        if len(os.fsencode(part)) > _NAME_BYTES_MAX:
            raise UnsafePathError(
                f"{part[:40]!r}... is longer than {_NAME_BYTES_MAX} bytes; nothing was loaded.",
                "Pass a shorter name as to=.",
            )
        step = step / part
        if step.is_symlink():
            raise UnsafePathError(f"{str(step)!r} is a link; nothing was loaded.", _INSIDE)


def _numbered(target: Path) -> Iterator[Path]:
    """flights.csv.gz, flights-2.csv.gz, flights-3.csv.gz ..."""
    yield target
    stem, dot, suffix = target.name.partition(".")
    for number in range(2, _SIBLINGS_MAX):
        yield target.with_name(f"{stem}-{number}{dot}{suffix}")
