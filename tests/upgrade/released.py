"""The source of the last release, as it was deployed: what is in the archive beside this file.

An archive and not the repository's history, so that the rehearsal is held in a shallow clone and in an unpacked
download as well. ``git archive v0.1.0 app.py cdk.json infra lambdas shared/session_datasets pyproject.toml uv.lock
LICENSE | xz`` makes the like of it; a release replaces the archive by its own.
"""

from __future__ import annotations

import os
import tarfile
import tempfile
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).parents[2]
ARCHIVE = Path(__file__).with_name("session-datasets-0.1.0.tar.xz")


def released_source() -> Path:
    """A folder with the source of the release, made once for each archive."""
    place = ROOT / ".local" / "upgrade" / sha256(ARCHIVE.read_bytes()).hexdigest()[:16]
    if not place.is_dir():
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent) as scratch:
            with tarfile.open(ARCHIVE) as packed:
                packed.extractall(Path(scratch) / "source", filter="data")
            # Whoever comes second finds the folder there, and has the same.
            if not place.is_dir():
                os.rename(Path(scratch) / "source", place)
    return place
