"""From JSON to the value. Takes what Dumper writes and plain JSON; anything else is refused where it stands."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from typing import Any

from session_datasets.boundary.typed import tags
from session_datasets.boundary.typed.errors import (
    MalformedJsonError,
    PathStep,
    TooDeepError,
    TypedJsonError,
    UnknownTypeError,
    path_text,
)
from session_datasets.boundary.typed.numpy_scalars import NUMPY
from session_datasets.boundary.typed.registry import Registry
from session_datasets.boundary.typed.scalars import RULES_BY_NAME as SCALAR_RULES
from session_datasets.boundary.typed.tags import Json

_TAG = re.compile(r"([A-Za-z_][A-Za-z0-9_.\-]*)/([1-9][0-9]{0,8})")
_VERSION = 1
_LEAVES = frozenset({type(None), bool, int, str})
_WRONG_VALUES = (ValueError, TypeError, ArithmeticError, LookupError, AttributeError)

# Given an object with the key "$dataset", which is a reference; answers what stands in its place.
Resolve = Callable[[dict[str, Json]], Any]


class Loader:
    """One walk over one JSON value, which is only read."""

    def __init__(
        self, registry: Registry, *, resolve: Resolve | None = None, foreign: Callable[[Any], Any] | None = None
    ) -> None:
        """``foreign`` answers what stands for a value that is no JSON. With it, an object with the key "$type" that
        looks like no tag is one of its own, too."""
        self._foreign = foreign
        self._registry = registry
        self._resolve = resolve
        self._path: list[PathStep] = []
        self._depth = 0

    def whole(self, value: Json) -> Any:
        try:
            return self.load(value)
        except RecursionError:
            raise self._too_deep() from None

    def load(self, value: Json) -> Any:
        kind = type(value)
        if kind in _LEAVES:
            return value
        if self._foreign is not None and kind is not list and kind is not dict:
            return self._foreign(value)
        if kind is float:
            if not math.isfinite(value):
                raise self._malformed("JSON has no number that is not finite")
            return value
        if kind is not list and kind is not dict:
            raise self._malformed(f"{kind.__name__} is no type of JSON")
        self._depth += 1
        # A tag or a reference is an object also where the value had no parts.
        if self._depth > tags.DEPTH_MAX + 1:
            raise self._too_deep()
        loaded = self._items(enumerate(value)) if kind is list else self._object(value)
        self._depth -= 1
        return loaded

    def _items(self, steps: Iterable[tuple[PathStep, Json]]) -> list[Any]:
        items = []
        for step, each in steps:
            if type(each) in _LEAVES:
                items.append(each)
                continue
            self._path.append(step)
            items.append(self.load(each))
            self._path.pop()
        return items

    def _object(self, value: dict[str, Json]) -> Any:
        if tags.TYPE_KEY in value and not (self._foreign is not None and _tag_of(value) is None):
            return self._tagged(value)
        if tags.DATASET_KEY in value:
            return dict(value) if self._resolve is None else self._resolve(value)
        return dict(zip(value, self._items(value.items()), strict=True))

    def _tagged(self, value: dict[str, Json]) -> Any:
        match = _tag_of(value)
        if match is None:
            raise self._malformed(f"an object with the key {tags.TYPE_KEY!r} is a tag, and this is none")
        name, version, content = match[1], int(match[2]), value[tags.VALUE_KEY]
        if name in _CONTAINERS or name in _RULES:
            if version > _VERSION:
                raise UnknownTypeError(
                    f"The data has version {version} of {name!r}, this process knows up to {_VERSION}.",
                    "Update session-datasets to the version that wrote it.",
                    path_text(self._path),
                )
            return self._own(name, content)
        entry = self._registry.of_tag(name, version, path_text(self._path))
        return self._built(name, entry.build, self.load(content))

    def _own(self, name: str, content: Json) -> Any:
        if name == "dict":
            return self._pairs(content)
        if name in _CONTAINERS:
            if type(content) is not list:
                raise self._malformed(f"{name} holds a list")
            return self._built(name, _CONTAINERS[name], self._items(enumerate(content)))
        return self._built(name, _RULES[name].read, content)

    def _pairs(self, content: Json) -> dict[Any, Any]:
        pairs: dict[Any, Any] = {}
        if type(content) is not list or any(type(pair) is not list or len(pair) != 2 for pair in content):
            raise self._malformed("dict holds pairs")
        keys = self._items(enumerate(key for key, _ in content))
        values = self._items(zip(keys, (each for _, each in content), strict=True))
        for loaded_key, loaded in zip(keys, values, strict=True):
            try:
                taken = loaded_key in pairs
            except TypeError:
                raise self._malformed("a key of dict is no value that can be one") from None
            if taken:
                raise self._malformed("dict holds a key twice")
            pairs[loaded_key] = loaded
        return pairs

    def _built(self, name: str, build: Callable[[Any], Any], content: Any) -> Any:
        try:
            return build(content)
        except TypedJsonError:
            raise
        except _WRONG_VALUES as error:
            raise self._malformed(f"{name} cannot be built: {error}") from error

    def _too_deep(self) -> TooDeepError:
        return TooDeepError(
            f"More than {tags.DEPTH_MAX} values lie in each other, so nothing was read.",
            "Only data that this module wrote is read back.",
            path_text(self._path),
        )

    def _malformed(self, why: str) -> MalformedJsonError:
        return MalformedJsonError(
            f"{why[:1].upper()}{why[1:]}, so nothing was read.",
            "Read only what typed_json wrote, unchanged.",
            path_text(self._path),
        )


def _tag_of(value: dict[str, Json]) -> re.Match[str] | None:
    tag = value[tags.TYPE_KEY]
    fits = type(tag) is str and value.keys() == {tags.TYPE_KEY, tags.VALUE_KEY}
    return _TAG.fullmatch(tag) if fits else None


_RULES = {**SCALAR_RULES, NUMPY.name: NUMPY}
_CONTAINERS: dict[str, Callable[[Any], Any]] = {"dict": dict, "tuple": tuple, "set": set, "frozenset": frozenset}
