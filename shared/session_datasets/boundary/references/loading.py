"""From references to values, within a budget of bytes, files and levels; no file is believed unchecked."""

from __future__ import annotations

from collections.abc import Iterator
from io import BufferedReader
from typing import TYPE_CHECKING, Any

from session_datasets.boundary.references import arrays
from session_datasets.boundary.references.adapting import store_of
from session_datasets.boundary.references.blobs import verified
from session_datasets.boundary.references.errors import HydrateBudgetError, UnreadableReferenceError
from session_datasets.boundary.references.frames import frame_files
from session_datasets.boundary.references.guards import OverBudget
from session_datasets.boundary.references.limits import HYDRATE_BYTES_MAX, HYDRATE_FILES_MAX, NESTED_FILES_MAX
from session_datasets.boundary.references.pointer import Pointer, is_reference
from session_datasets.boundary.typed.errors import TypedJsonError
from session_datasets.boundary.typed.loading import Loader
from session_datasets.boundary.typed.registry import REGISTRY, Registry
from session_datasets.boundary.typed.tags import DATASET_KEY, TYPE_KEY, Json
from session_datasets.boundary.typed.text import parsed
from session_datasets.boundary.typed_json import canonical
from session_datasets.domain.limits import MIB

if TYPE_CHECKING:
    from session_datasets.boundary.references.adapting import AnyStore

_FEWER_BYTES = (
    "Hydrate only the references that are needed, page their rows with Workspace.read_rows, or pass a larger max_bytes."
)
_FEWER_FILES = "Hydrate only the references that are needed, or pass a larger max_files."
_FEWER_LEVELS = "Such a chain comes of saving what holds references: hydrate them before it is saved again."


def load(
    value: Any,
    store: AnyStore,
    *,
    max_bytes: int = HYDRATE_BYTES_MAX,
    max_files: int = HYDRATE_FILES_MAX,
    registry: Registry = REGISTRY,
) -> Any:
    """The value behind one reference, with all that it refers to; anything else is answered unchanged."""
    if not is_reference(value):
        return value
    return hydrate(value, store, max_bytes=max_bytes, max_files=max_files, registry=registry)


def hydrate(
    value: Json,
    store: AnyStore,
    *,
    max_bytes: int = HYDRATE_BYTES_MAX,
    max_files: int = HYDRATE_FILES_MAX,
    registry: Registry = REGISTRY,
) -> Any:
    """What was externalized, through all dicts and lists; ``value`` is only read, and what is neither stays.

    All may be ``max_files`` and have ``max_bytes`` together, counted by the larger of a file and what it unpacks to;
    HydrateBudgetError otherwise, before anything is read if the references say so. One reference that occurs twice is
    loaded once, and both places share the value. Raises DatasetReferenceError, TypedJsonError, MissingExtraError, or
    what the service refuses.
    """
    hydrating = _Hydrating(store, max_bytes, max_files, registry)
    hydrating.foresee(value)
    return hydrating.value_of(value)


def holds_references(value: Any) -> bool:
    """Whether ``hydrate`` would change it: a reference or a tag lies somewhere in its dicts and lists."""
    return next(_marked(value), None) is not None


class _Hydrating:
    def __init__(self, store: AnyStore, max_bytes: int, max_files: int, registry: Registry) -> None:
        self._store = store_of(store)
        self._max_bytes = max_bytes
        self._max_files = max_files
        self._left = max_bytes
        self._registry = registry
        self._loaded: dict[bytes, Any] = {}
        self._level = 0

    def foresee(self, value: Any) -> None:
        """Refuses before the first read what the references themselves say to be too much."""
        sizes = {}
        for each in _marked(value):
            if is_reference(each):
                sizes[canonical(each)] = each[DATASET_KEY]["bytes"]
        if sum(sizes.values()) > self._max_bytes:
            raise self._too_many_bytes()
        if len(sizes) > self._max_files:
            raise self._too_many_files()

    def value_of(self, value: Json) -> Any:
        foreign = self._foreign if self._level == 0 else None
        return Loader(self._registry, resolve=self._resolved, foreign=foreign).whole(value)

    def _foreign(self, value: Any) -> Any:
        # A framework's own kind of dict becomes a plain one where a reference lies in it, and only there.
        return self.value_of(dict(value)) if isinstance(value, dict) and holds_references(value) else value

    def _resolved(self, reference: dict[str, Json]) -> Any:
        if self._level == 0 and not _looks_like_one(reference):
            # Data that was never externalized, in which nothing was escaped.
            return {key: self.value_of(each) for key, each in reference.items()}
        pointer = Pointer.of(reference)
        key = canonical(reference)
        if key not in self._loaded:
            if len(self._loaded) >= self._max_files:
                raise self._too_many_files()
            if self._level >= NESTED_FILES_MAX:
                raise HydrateBudgetError(
                    f"The references lead through more than {NESTED_FILES_MAX} files into each other.", _FEWER_LEVELS
                )
            self._level += 1
            try:
                self._loaded[key] = self._read(pointer)
            finally:
                self._level -= 1
        return self._loaded[key]

    def _read(self, pointer: Pointer) -> Any:
        if pointer.size == 0 and pointer.format == "bytes":
            return b""
        if pointer.size > self._left:
            raise self._too_many_bytes()
        with self._store.opened(pointer.place, size=pointer.size, sha256=pointer.sha256) as opened:
            file = verified(opened, pointer)
            self._left -= pointer.size
            if pointer.format == "npy":
                return _of_told_shape(arrays.read_array(file), pointer)
            if pointer.format == "bytes":
                return file.read()
            return self._json(file) if pointer.format == "json" else self._frame(file, pointer)

    def _json(self, file: BufferedReader) -> Any:
        try:
            return self.value_of(parsed(file.read()))
        except TypedJsonError as error:
            raise UnreadableReferenceError(f"The file behind the reference: {error}", error.advice) from error

    def _frame(self, file: BufferedReader, pointer: Pointer) -> Any:
        budget = self._left + pointer.size
        try:
            frame, size = frame_files.read_frame(file, pointer.format, pointer.value, budget)
        except OverBudget:
            raise self._too_many_bytes() from None
        self._left = budget - max(size, pointer.size)
        return _of_told_shape(frame, pointer)

    def _too_many_bytes(self) -> HydrateBudgetError:
        return HydrateBudgetError(
            f"The references hold more than {self._max_bytes / MIB:,.6g} MiB together; none was brought back.",
            _FEWER_BYTES,
        )

    def _too_many_files(self) -> HydrateBudgetError:
        return HydrateBudgetError(
            f"The references lead to more than {self._max_files:,} files; none was brought back.", _FEWER_FILES
        )


def _of_told_shape(value: Any, pointer: Pointer) -> Any:
    """``value``, which has the rows and columns that were saved."""
    told = pointer.facts.get("shape")
    if told is not None and told != list(value.shape):
        raise UnreadableReferenceError(
            f"The file makes a value of shape {list(value.shape)}, and one of another shape was saved.",
            "Run the node that produced it again, and pass its new reference.",
        )
    return value


def _looks_like_one(reference: dict[str, Json]) -> bool:
    inner = reference[DATASET_KEY]
    return len(reference) == 1 and type(inner) is dict and type(inner.get("v")) is int


def _marked(value: Any) -> Iterator[dict[str, Any]]:
    """The objects in it that are references or tags, each once, however often and in what circles they occur."""
    ahead, seen = [value], set()
    while ahead:
        each = ahead.pop()
        if not (isinstance(each, dict) or type(each) is list) or id(each) in seen:
            continue
        seen.add(id(each))
        if isinstance(each, dict) and (DATASET_KEY in each or TYPE_KEY in each):
            yield each
        ahead.extend(each.values() if isinstance(each, dict) else each)
