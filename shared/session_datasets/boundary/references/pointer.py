"""The small value that stands for a large one: ``{"$dataset": {"v": 1, "format": ..., "bytes": ..., ...}}``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from session_datasets.boundary.references.errors import MalformedReferenceError
from session_datasets.boundary.references.limits import NAME_BYTES_MAX, NAMES_MAX
from session_datasets.boundary.typed_json import DATASET_KEY, Json

VERSION = 1
FORMATS = ("parquet", "arrow", "npy", "json", "bytes")
_SHA256 = re.compile(r"[0-9a-f]{64}")
# Where it lies, as its store says: {"key": ...} in a folder, {"artifact": {...}} in a workspace.
Place = Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Pointer:
    """``size`` in bytes of the file, ``sha256`` of its bytes in hex, ``value`` what is restored (``pandas.DataFrame``,
    ``numpy.ndarray``, ``dict`` ...), ``facts`` the shape, dtype, columns, length or keys that are told."""

    format: str
    value: str
    size: int
    sha256: str
    place: Place
    facts: Mapping[str, Json] = field(default_factory=dict)

    def to_json(self) -> dict[str, Json]:
        fields = {"v": VERSION, "format": self.format, "value": self.value, "bytes": self.size, "sha256": self.sha256}
        return {DATASET_KEY: {**fields, **self.facts, "place": dict(self.place)}}

    @classmethod
    def of(cls, reference: Any) -> Self:
        """MalformedReferenceError for what is none, or one of a later version."""
        inner = reference.get(DATASET_KEY) if isinstance(reference, Mapping) else None
        if isinstance(inner, dict) and type(inner.get("v")) is int and inner["v"] > VERSION:
            raise MalformedReferenceError(
                f"The reference has version {inner['v']}, this process knows up to {VERSION}.",
                "Update session-datasets to the version that wrote it.",
            )
        if inner is None or not is_reference(reference):
            raise MalformedReferenceError(
                "The value has the key '$dataset' and is no reference, so nothing was read.",
                "Pass a reference exactly as save or externalize gave it.",
            )
        known = {"v", "format", "value", "bytes", "sha256", "place"}
        facts = {name: each for name, each in inner.items() if name not in known}
        return cls(inner["format"], inner["value"], inner["bytes"], inner["sha256"], inner["place"], facts)


def is_reference(value: object) -> bool:
    """Whether it is a dict with the one key "$dataset" and under it what this version writes. Never raises."""
    if type(value) is not dict or len(value) != 1 or type(inner := value.get(DATASET_KEY)) is not dict:
        return False
    size, sha256, place = inner.get("bytes"), inner.get("sha256"), inner.get("place")
    return (
        type(inner.get("v")) is int
        and inner["v"] == VERSION
        and inner.get("format") in FORMATS
        and type(inner.get("value")) is str
        and type(size) is int
        and size >= 0
        and type(sha256) is str
        and _SHA256.fullmatch(sha256) is not None
        and type(place) is dict
        and len(place) > 0
    )


def told_names(names: list[Any]) -> list[str]:
    """The first names, as texts that fit into a pointer."""
    return [told_name(each) for each in names[:NAMES_MAX]]


def told_name(name: Any) -> str:
    try:
        text = name if type(name) is str else repr(name)
    except Exception:
        # What cannot be shown is named by its type: the pointer only tells.
        text = f"<{type(name).__name__}>"
    data = text.encode("utf-8", "replace")
    if len(data) > NAME_BYTES_MAX:
        data = data[: NAME_BYTES_MAX - 3].decode("utf-8", "ignore").encode() + "…".encode()
    return data.decode()
