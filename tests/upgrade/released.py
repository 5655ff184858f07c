"""The source of the last release, taken out of the repository's own history."""

from __future__ import annotations

import os
import subprocess
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]

# A commit and not a tag: clones do not always bring tags, and a tag can be moved. The release is v0.1.0.
RELEASED = "85063851a2e5cb8a2825fa8cf0d4c400d3591150"


class HistoryMissing(Exception):
    """The rehearsal can not be held; nobody should take that for a success."""


def released_source() -> Path:
    """A folder with the whole source of the release, made once; raises HistoryMissing."""
    place = ROOT / ".local" / "upgrade" / RELEASED
    if not place.is_dir():
        _require_history()
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent) as scratch:
            _unpack(Path(scratch) / "source", Path(scratch) / "source.tar")
            # Whoever comes second finds the folder there, and has the same.
            if not place.is_dir():
                os.rename(Path(scratch) / "source", place)
    return place


def _require_history() -> None:
    if _git("cat-file", "-e", f"{RELEASED}^{{commit}}").returncode == 0:
        return
    # A shallow clone knows where the rest is.
    fetched = _git("fetch", "--quiet", "--depth=1", "origin", RELEASED)
    if fetched.returncode:
        raise HistoryMissing(
            f"The upgrade was not rehearsed: the release that it begins with (commit {RELEASED[:12]}) is not in this "
            "folder's history. Run this in a clone of the repository; in a shallow one, `git fetch --unshallow` first. "
            f"git said: {fetched.stderr.strip()}"
        )


def _unpack(source: Path, archive: Path) -> None:
    subprocess.run(["git", "archive", "--output", str(archive), RELEASED], cwd=ROOT, check=True)
    with tarfile.open(archive) as packed:
        packed.extractall(source, filter="data")


def _git(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0"}
    try:
        return subprocess.run(
            ["git", *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )
    except FileNotFoundError as error:
        return subprocess.CompletedProcess(arguments, 127, "", str(error))
