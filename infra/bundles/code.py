"""Our own part of every bundle."""

from __future__ import annotations

import hashlib
from pathlib import Path

# Folders of the package that run on the nodes, not in the functions.
CLIENT_FOLDERS = {"boundary", "cli", "client", "feedback", "materialize", "tools"}


def code_files(root: Path) -> dict[str, Path]:
    """Path inside the bundle -> file, in order: the handlers, and the package they are doors to."""
    handlers = {path.relative_to(root): path for path in (root / "lambdas").rglob("*.py")}
    package = root / "shared" / "session_datasets"
    library = {
        path.relative_to(package.parent): path
        for path in package.rglob("*")
        if path.is_file() and path.relative_to(package).parts[0] not in CLIENT_FOLDERS
    }
    files = {**handlers, **library}
    return {str(name): files[name] for name in sorted(files) if "__pycache__" not in name.parts}


def fingerprint(files: dict[str, Path]) -> bytes:
    """A hash of names and contents."""
    digest = hashlib.sha256()
    for name, path in files.items():
        content = path.read_bytes()
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.digest()


def short_hash(*parts: bytes) -> str:
    """16 hexadecimal digits that tell any two lists of parts from each other."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()[:16]
