"""From values to references: what is a frame, an array or too large becomes a file, the rest stays where it is."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from session_datasets.boundary.references import arrays
from session_datasets.boundary.references.adapting import store_of
from session_datasets.boundary.references.blobs import save_file
from session_datasets.boundary.references.errors import UnsupportedFrameError
from session_datasets.boundary.references.frames import frame_files
from session_datasets.boundary.references.guards import told_as
from session_datasets.boundary.references.kinds import Kind, kind_of, type_name
from session_datasets.boundary.references.limits import (
    FIELD_FILES_MAX,
    HYDRATE_FILES_MAX,
    INLINE_BYTES_MAX,
    NAMES_MAX,
)
from session_datasets.boundary.references.pointer import is_reference, told_names
from session_datasets.boundary.typed.dumping import Dumper
from session_datasets.boundary.typed.errors import TooManyValuesError
from session_datasets.boundary.typed.registry import REGISTRY, Registry
from session_datasets.boundary.typed.tags import DATASET_KEY, RESERVED_KEYS, TYPE_KEY, VALUE_KEY, Json
from session_datasets.boundary.typed.text import written
from session_datasets.boundary.typed_json import canonical

if TYPE_CHECKING:
    from session_datasets.boundary.references.adapting import AnyStore

# What a pointer takes in the place of a field, unless it tells of long keys.
_POINTER_BYTES = 1_024


def should_spill(value: Any, threshold: int = INLINE_BYTES_MAX, *, registry: Registry = REGISTRY) -> bool:
    """Whether ``externalize`` makes a file of it, or of a part: false for None and references, true for frames and
    arrays of any size, else whether its typed JSON has more than ``threshold`` bytes of UTF-8. TypedJsonError for a
    value that cannot be written at all."""
    if value is None:
        return False
    found = _Found()
    dumped = Dumper(registry, replace=found.replaced).whole(value)
    return found.any or (not _is_pointer(dumped) and len(written(dumped)) > threshold)


def save(
    value: Any,
    store: AnyStore,
    *,
    name: str = "value",
    max_files: int = HYDRATE_FILES_MAX,
    registry: Registry = REGISTRY,
) -> dict[str, Json]:
    """A reference to the value, whatever its size; frames and arrays inside it get files of their own. A reference is
    answered as it is. Raises TypedJsonError or UnsupportedFrameError for a value that no file keeps whole, or that
    takes more than ``max_files``."""
    return _Saving(store, name, max_files, registry).saved(value)


def externalize(
    value: Any,
    store: AnyStore,
    *,
    threshold: int = INLINE_BYTES_MAX,
    name: str = "value",
    max_files: int = HYDRATE_FILES_MAX,
    registry: Registry = REGISTRY,
) -> Json:
    """JSON that ``hydrate`` makes ``value`` of again; the value is only read.

    Every frame and array becomes a reference. If the rest has more than ``threshold`` bytes, the large fields of a
    mapping do, up to 16 of them and in mappings of mappings too; a list, or a mapping of many small values, becomes one
    file. References in ``value`` pass unchanged; data that only has their key is escaped.

    New and passed references together may be ``max_files``, as many as ``hydrate`` brings back: TooManyValuesError
    for more. Whatever cannot be written as JSON is refused before the first file is.
    """
    saving = _Saving(store, name, max_files, registry)
    return saving.externalized(value, threshold)


class _Saving:
    """One value on its way. What occurs in it twice is saved once."""

    def __init__(self, store: AnyStore, name: str, max_files: int, registry: Registry) -> None:
        self._store = store_of(store)
        self._name = name
        self._max_files = max_files
        self._dumper = Dumper(registry, replace=self._replaced)
        # The values, too: while they are held, no other gets their id.
        self._found: dict[int, _Large] = {}
        self._passed: set[bytes] = set()
        # Of the files that may be, those that are made or promised to a field.
        self._promised = 0

    def externalized(self, value: Any, threshold: int) -> Json:
        dumped = self._dumper.whole(value)
        self._promise(len(self._found) + len(self._passed))
        self._write_large()
        if _stays(dumped, threshold):
            return dumped
        self._promise(1)
        return self._fitted(dumped, threshold, self._name)

    def saved(self, value: Any) -> dict[str, Json]:
        dumped = self._dumper.whole(value)
        self._promise(len(self._found) + len(self._passed) + (not _is_pointer(dumped)))
        self._write_large()
        return dumped if _is_pointer(dumped) else self._json_file(dumped, self._name)

    def _promise(self, files: int) -> None:
        self._promised += files
        if self._promised > self._max_files:
            raise TooManyValuesError(
                f"Its frames, arrays and references take {self._promised:,} files, and one hydrate brings back "
                f"{self._max_files:,}, so it was not saved.",
                "Put arrays of one form into one array, frames into one frame with a column that tells them apart, or "
                "numbers into a list; or pass a larger max_files here and to hydrate.",
            )

    def _has_room_for(self, fields: int) -> bool:
        if self._promised + fields > self._max_files:
            return False
        self._promised += fields
        return True

    def _write_large(self) -> None:
        for large in self._found.values():
            pointer = self._file(large)
            for mark in large.marks:
                mark.update(copy.deepcopy(pointer))

    def _fitted(self, dumped: Json, threshold: int, name: str) -> Json:
        """The same with references for what is too large."""
        if _stays(dumped, threshold):
            return dumped
        size = _size(dumped)
        if type(dumped) is dict and not RESERVED_KEYS & dumped.keys():
            large = {key for key, each in dumped.items() if _size(each) > threshold}
            rest = size - sum(_size(dumped[key]) for key in large) + _POINTER_BYTES * len(large)
            if len(large) <= FIELD_FILES_MAX and rest <= threshold and self._has_room_for(len(large)):
                dumped = {
                    key: self._fitted(each, threshold, f"{name}-{key}") if key in large else each
                    for key, each in dumped.items()
                }
                if _size(dumped) <= threshold:
                    return dumped
        return self._json_file(dumped, name)

    def _replaced(self, value: Any) -> dict[str, Json] | None:
        if is_reference(value):
            self._passed.add(canonical(dict(value)))
            return copy.deepcopy(dict(value))
        if kind_of(value) is Kind.OTHER:
            return None
        large = self._found.setdefault(id(value), _Large(value, self._dumper.place, []))
        large.marks.append({DATASET_KEY: None})
        return large.marks[-1]

    def _file(self, large: _Large) -> dict[str, Json]:
        value, kind = large.value, kind_of(large.value)
        with TemporaryDirectory(prefix="session-datasets-") as folder:
            with _at(large.place), told_as(lambda what: _not_saved(value, what)):
                if kind is Kind.ARRAY:
                    path, facts = arrays.write_array(value, Path(folder))
                    format = "npy"
                else:
                    path, format, facts = frame_files.write_frame(value, kind, Path(folder))
            return save_file(path, self._store, name=self._name, format=format, value=type_name(value), facts=facts)

    def _json_file(self, dumped: Json, name: str) -> dict[str, Json]:
        value, facts = _told(dumped)
        with TemporaryDirectory(prefix="session-datasets-") as folder:
            path = Path(folder) / "value.json"
            path.write_bytes(written(dumped))
            return save_file(path, self._store, name=name, format="json", value=value, facts=facts)


class _Found:
    """Looks for frames and arrays without saving any."""

    def __init__(self) -> None:
        self.any = False

    def replaced(self, value: Any) -> dict[str, Json] | None:
        if is_reference(value):
            return dict(value)
        if kind_of(value) is Kind.OTHER:
            return None
        self.any = True
        return {DATASET_KEY: {}}


@dataclass(frozen=True, slots=True)
class _Large:
    """A frame or an array, where it was met first, and what stands for it at each of its places."""

    value: Any
    place: str
    marks: list[dict[str, Json]]


@contextmanager
def _at(place: str) -> Iterator[None]:
    """Says of a frame or an array inside a value where it lies."""
    try:
        yield
    except UnsupportedFrameError as error:
        if place == "value":
            raise
        raise UnsupportedFrameError(f"At {place}: {error.detail}", error.advice) from error


def _not_saved(value: Any, what: str) -> UnsupportedFrameError:
    return UnsupportedFrameError(
        f"The {type_name(value)} was not saved, for no file of it can be written: {what}.",
        "Give its columns or fields plain types, or pass its numbers and texts as lists.",
    )


def _size(dumped: Json) -> int:
    return len(written(dumped))


def _stays(dumped: Json, threshold: int) -> bool:
    return dumped is None or _is_pointer(dumped) or _size(dumped) <= threshold


def _is_pointer(dumped: Json) -> bool:
    # User data with this key was written as pairs.
    return type(dumped) is dict and DATASET_KEY in dumped


def _told(dumped: Json) -> tuple[str, dict[str, Json]]:
    """The name of the value's type, and its length or keys."""
    if type(dumped) is list:
        return "list", {"length": len(dumped)}
    if type(dumped) is not dict:
        return type(dumped).__name__, {"length": len(dumped)} if type(dumped) is str else {}
    if TYPE_KEY not in dumped:
        return "dict", {"length": len(dumped), "keys": told_names(sorted(dumped)[:NAMES_MAX])}
    name, content = dumped[TYPE_KEY].partition("/")[0], dumped[VALUE_KEY]
    return name, {"length": len(content)} if type(content) is list else {}
