"""Bytes behind a reference, for whoever has serialized already: a payload, a snapshot of a cache."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Mapping
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING

from session_datasets.boundary.references.adapting import store_of
from session_datasets.boundary.references.pointer import Pointer
from session_datasets.boundary.references.stores import Store, changed
from session_datasets.boundary.typed_json import Json

if TYPE_CHECKING:
    from session_datasets.boundary.references.adapting import AnyStore


def save_file(
    file: Path, store: Store, *, name: str, format: str, value: str, facts: Mapping[str, Json] | None = None
) -> dict[str, Json]:
    """A reference to the bytes of ``file``, which stays the caller's."""
    with file.open("rb") as opened:
        sha256 = hashlib.file_digest(opened, "sha256").hexdigest()
        size = opened.tell()
    # No store keeps a file without bytes, and none is needed to bring them back.
    place = store.put(file, name=name, sha256=sha256) if size else {"empty": True}
    return Pointer(format, value, size, sha256, place, dict(facts or {})).to_json()


def save_bytes(data: bytes, store: AnyStore, *, name: str = "value") -> dict[str, Json]:
    """A reference of format bytes."""
    with tempfile.TemporaryDirectory(prefix="session-datasets-") as folder:
        file = Path(folder) / "value.bin"
        file.write_bytes(data)
        return save_file(file, store_of(store), name=name, format="bytes", value="bytes", facts={"length": len(data)})


def load_bytes(reference: Mapping[str, Json], store: AnyStore) -> bytes:
    """The file's bytes, whatever its format, with the hash that the reference has. DatasetReferenceError otherwise."""
    pointer, store = Pointer.of(reference), store_of(store)
    if pointer.size == 0:
        return b""
    with store.opened(pointer.place, size=pointer.size, sha256=pointer.sha256) as file:
        data = file.read()
    if hashlib.sha256(data).hexdigest() != pointer.sha256:
        raise changed("of the reference")
    return data


def verified(file: BufferedReader, pointer: Pointer) -> BufferedReader:
    """The same open file at its start, once its bytes were found to be those that were saved."""
    if hashlib.file_digest(file, "sha256").hexdigest() != pointer.sha256:
        raise changed("of the reference")
    file.seek(0)
    return file
