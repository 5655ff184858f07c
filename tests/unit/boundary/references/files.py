"""The files behind references in a folder."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any


def file_of(reference: Any, folder: Path) -> Path:
    return folder / str(reference["$dataset"]["place"]["key"])


def forged(reference: Any, data: bytes, folder: Path, **more: Any) -> Any:
    """The reference to other bytes, with their true size and hash."""
    sha256 = hashlib.sha256(data).hexdigest()
    (folder / f"forged-{sha256[:8]}").write_bytes(data)
    place = {"key": f"forged-{sha256[:8]}"}
    return {"$dataset": {**reference["$dataset"], "bytes": len(data), "sha256": sha256, "place": place, **more}}
