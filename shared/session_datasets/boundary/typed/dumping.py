"""From a value to JSON. The value is only read; the same value gives the same JSON in every process."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from typing import Any

from session_datasets.boundary.typed import tags
from session_datasets.boundary.typed.errors import (
    CyclicValueError,
    PathStep,
    TooDeepError,
    TooManyValuesError,
    UnsupportedValueError,
    path_text,
)
from session_datasets.boundary.typed.numpy_scalars import NUMPY, is_numpy_scalar
from session_datasets.boundary.typed.registry import Registered, Registry, tag_of
from session_datasets.boundary.typed.scalars import FLOAT, INT, SCALARS, STR
from session_datasets.boundary.typed.tags import Json, has_surrogates, tagged

# Asked for every value that is no text, number, truth value or None: its JSON, or None when the rules shall decide.
Replace = Callable[[Any], dict[str, Json] | None]


class Dumper:
    """One walk over one value. ``canonical``: mappings in the order of their keys' text instead of their own."""

    def __init__(self, registry: Registry, *, canonical: bool = False, replace: Replace | None = None) -> None:
        self._registry = registry
        self._canonical = canonical
        self._replace = replace
        self._path: list[PathStep] = []
        self._open: set[int] = set()
        self._count = 0

    def whole(self, value: Any) -> Json:
        try:
            return self.dump(value)
        except RecursionError:
            # The caller's own stack was nearly full.
            raise self._too_deep() from None

    @property
    def place(self) -> str:
        """Where in the value the walk stands: ``value['rows'][3]``."""
        return path_text(self._path)

    def dump(self, value: Any) -> Json:
        if _is_plain(value):
            return value
        kind = type(value)
        if rule := _SOMETIMES_PLAIN.get(kind):
            return tagged(rule.name, rule.write(value))
        if self._replace is not None and (replaced := self._replace(value)) is not None:
            return replaced
        if rule := SCALARS.get(kind):
            return tagged(rule.name, self._written(rule.write, value))
        if is_numpy_scalar(value):
            return tagged(NUMPY.name, self._written(NUMPY.write, value))
        return self._with_parts(value, kind)

    def _with_parts(self, value: Any, kind: type) -> Json:
        self._enter(value)
        if kind is dict:
            dumped = self._mapping(value)
        elif kind is list:
            dumped = self._items(enumerate(value))
        elif kind is tuple:
            dumped = tagged("tuple", self._items(enumerate(value)))
        elif kind is set or kind is frozenset:
            dumped = tagged(kind.__name__, self._members(value))
        elif entry := self._registry.of_class(kind):
            dumped = self._registered(entry, value)
        else:
            raise self._unsupported(kind)
        # An error ends the walk, so nothing is left to be tidied up then.
        self._open.discard(id(value))
        return dumped

    def _enter(self, value: object) -> None:
        if id(value) in self._open:
            raise CyclicValueError(
                "The value holds itself, so it has no end and was not written.",
                "Break the cycle, for example by naming the other part by a key.",
                path_text(self._path),
            )
        if len(self._open) >= tags.DEPTH_MAX:
            raise self._too_deep()
        self._open.add(id(value))

    def _items(self, steps: Iterable[tuple[PathStep, Any]]) -> list[Json]:
        # A loop, where a comprehension would cost a frame of Python's stack per level.
        items = []
        for step, each in steps:
            if _is_plain(each):
                items.append(each)
                continue
            self._path.append(step)
            items.append(self.dump(each))
            self._path.pop()
        self._count += len(items)
        if self._count > tags.VALUES_MAX:
            raise TooManyValuesError(
                f"It has more than {tags.VALUES_MAX:,} values, so nothing was written.",
                "Write rows to a file and register that instead.",
            )
        return items

    def _mapping(self, value: dict[Any, Any]) -> Json:
        dumped = self._items(value.items())
        if all(type(key) is str and key not in tags.RESERVED_KEYS and not has_surrogates(key) for key in value):
            return dict(zip(value, dumped, strict=True))
        keys = self._items((key, key) for key in value)
        pairs = [list(pair) for pair in zip(keys, dumped, strict=True)]
        if self._canonical:
            pairs.sort(key=lambda pair: canonical_text(pair[0]))
        return tagged("dict", pairs)

    def _members(self, value: set[Any] | frozenset[Any]) -> list[Json]:
        # The order of a set differs from process to process; that of its members' text does not.
        outside, self._canonical = self._canonical, True
        members = self._items((each, each) for each in value)
        self._canonical = outside
        return sorted(members, key=canonical_text)

    def _registered(self, entry: Registered, value: Any) -> Json:
        return tag_of(entry, self.dump(self._written(entry.parts, value)))

    def _written(self, write: Callable[[Any], Any], value: Any) -> Any:
        try:
            return write(value)
        except UnsupportedValueError as error:
            raise UnsupportedValueError(error.detail, error.advice, path_text(self._path)) from None

    def _too_deep(self) -> TooDeepError:
        return TooDeepError(
            f"More than {tags.DEPTH_MAX} values lie in each other, so nothing was written.",
            "Flatten it, or write it to a file of its own.",
            path_text(self._path),
        )

    def _unsupported(self, kind: type) -> UnsupportedValueError:
        advice = "Convert it to Python's own types, or allow its type with typed_json.register."
        if near := next((base for base in kind.__mro__[1:] if base in _PLAIN), None):
            advice = f"Convert it to a plain {near.__name__}, or allow its type with typed_json.register."
        return UnsupportedValueError(
            f"A value of type {kind.__module__}.{kind.__qualname__} cannot be written as typed JSON.",
            advice,
            path_text(self._path),
        )


def _is_plain(value: Any) -> bool:
    """Whether it stands for itself in JSON, in every reader of it."""
    kind = type(value)
    if kind is str:
        return not has_surrogates(value)
    if kind is int:
        return bool(-tags.PLAIN_INT_MAX <= value <= tags.PLAIN_INT_MAX)
    if kind is float:
        return math.isfinite(value)
    return value is None or kind is bool


_SOMETIMES_PLAIN = {str: STR, int: INT, float: FLOAT}
_PLAIN = frozenset({dict, list, tuple, set, frozenset, str, int, float, *SCALARS})


def canonical_text(dumped: Json) -> str:
    return json.dumps(dumped, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
