"""What a deployment is made of: when none of it changed, the stack that stands is the one a deploy would make."""

from __future__ import annotations

import hashlib
from pathlib import Path

from infra.local.places import ROOT

_SOURCES = ("app.py", "cdk.json", "package-lock.json", "uv.lock", "infra", "lambdas", "shared/session_datasets")


def fingerprint() -> str:
    """A digest of every source by name and content; the same on every machine."""
    digest = hashlib.sha256()
    for source in _SOURCES:
        for file in _files(ROOT / source):
            digest.update(f"{file.relative_to(ROOT).as_posix()}\0".encode())
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def _files(place: Path) -> list[Path]:
    if place.is_file():
        return [place]
    return sorted(file for file in place.rglob("*") if file.is_file() and "__pycache__" not in file.parts)
