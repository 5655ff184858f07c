"""From values to references: what is a frame, an array or too large becomes a file, the rest stays where it is."""

from __future__ import annotations

import copy
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from session_datasets.boundary.references import arrays
from session_datasets.boundary.references.blobs import save_file
from session_datasets.boundary.references.errors import UnsupportedFrameError
from session_datasets.boundary.references.frames import frame_files
from session_datasets.boundary.references.guards import told_as
from session_datasets.boundary.references.kinds import Kind, kind_of, type_name
from session_datasets.boundary.references.limits import FIELD_FILES_MAX, INLINE_BYTES_MAX, NAMES_MAX
from session_datasets.boundary.references.pointer import is_reference, told_names
from session_datasets.boundary.references.stores import Store
from session_datasets.boundary.typed.dumping import Dumper
from session_datasets.boundary.typed.registry import REGISTRY, Registry
from session_datasets.boundary.typed.tags import DATASET_KEY, RESERVED_KEYS, TYPE_KEY, VALUE_KEY, Json
from session_datasets.boundary.typed.text import written

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


def save(value: Any, store: Store, *, name: str = "value", registry: Registry = REGISTRY) -> dict[str, Json]:
    """A reference to the value, whatever its size; frames and arrays inside it get files of their own. A reference is
    answered as it is. Raises TypedJsonError or UnsupportedFrameError for a value that no file keeps whole."""
    return _Saving(store, name, registry).saved(value)


def externalize(
    value: Any,
    store: Store,
    *,
    threshold: int = INLINE_BYTES_MAX,
    name: str = "value",
    registry: Registry = REGISTRY,
) -> Json:
    """JSON that ``hydrate`` makes ``value`` of again; the value is only read.

    Every frame and array becomes a reference. If the rest has more than ``threshold`` bytes, the large fields of a
    mapping do, up to 16 of them and in mappings of mappings too; a list, or a mapping of many small values, becomes one
    file. References in ``value`` pass unchanged; data that only has their key is escaped.
    """
    saving = _Saving(store, name, registry)
    return saving.fitted(saving.dumped(value), threshold, name)


class _Saving:
    """One value on its way. What occurs in it twice is saved once."""

    def __init__(self, store: Store, name: str, registry: Registry) -> None:
        self._store = store
        self._name = name
        self._registry = registry
        # The values, too: while they are held, no other gets their id.
        self._saved: dict[int, tuple[Any, dict[str, Json]]] = {}

    def dumped(self, value: Any) -> Json:
        return Dumper(self._registry, replace=self._replaced).whole(value)

    def saved(self, value: Any) -> dict[str, Json]:
        dumped = self.dumped(value)
        return dumped if _is_pointer(dumped) else self._json_file(dumped, self._name)

    def fitted(self, dumped: Json, threshold: int, name: str) -> Json:
        """The same with references for what is too large."""
        size = _size(dumped)
        if size <= threshold or dumped is None or _is_pointer(dumped):
            return dumped
        if type(dumped) is dict and not RESERVED_KEYS & dumped.keys():
            large = {key for key, each in dumped.items() if _size(each) > threshold}
            rest = size - sum(_size(dumped[key]) for key in large) + _POINTER_BYTES * len(large)
            if len(large) <= FIELD_FILES_MAX and rest <= threshold:
                dumped = {
                    key: self.fitted(each, threshold, f"{name}-{key}") if key in large else each
                    for key, each in dumped.items()
                }
                if _size(dumped) <= threshold:
                    return dumped
        return self._json_file(dumped, name)

    def _replaced(self, value: Any) -> dict[str, Json] | None:
        if is_reference(value):
            return copy.deepcopy(dict(value))
        kind = kind_of(value)
        if kind is Kind.OTHER:
            return None
        if id(value) not in self._saved:
            self._saved[id(value)] = (value, self._file(value, kind))
        return copy.deepcopy(self._saved[id(value)][1])

    def _file(self, value: Any, kind: Kind) -> dict[str, Json]:
        with TemporaryDirectory(prefix="session-datasets-") as folder:
            with told_as(lambda what: _not_saved(value, what)):
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


def _not_saved(value: Any, what: str) -> UnsupportedFrameError:
    return UnsupportedFrameError(
        f"The {type_name(value)} was not saved, for no file of it can be written: {what}.",
        "Give its columns or fields plain types, or pass its numbers and texts as lists.",
    )


def _size(dumped: Json) -> int:
    return len(written(dumped))


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
