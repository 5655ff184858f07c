"""Strict typed JSON: what is loaded equals what was dumped, types included, or the dump is refused where it stands.

>>> load(dump({"when": (1, 2.5), 3: b"x"}))
{'when': (1, 2.5), 3: b'x'}

Plain JSON stays plain JSON. Kept by a tag ``{"$type": "tuple/1", "value": ...}``: tuple, set, frozenset, bytes,
bytearray, Decimal (with its scale), datetime, date, time (with zone and fold), timedelta, UUID, complex, floats that
are not finite, integers beyond 2**53, text with lone surrogates, mappings with other than text keys or with a key that
a tag or a reference has, NumPy's numbers, and enums and dataclasses that were allowed
by ``register``. Only exact types: a subclass (a named tuple, an IntEnum, a Timestamp) is refused rather than flattened.
Every NaN of Python comes back as the one NaN.

Standard library only, and without time, randomness or environment, so a workflow may replay it.
"""

from __future__ import annotations

from typing import Any

from session_datasets.boundary.typed.dumping import Dumper, Replace, canonical_text
from session_datasets.boundary.typed.errors import (
    CyclicValueError,
    MalformedJsonError,
    TooDeepError,
    TooManyValuesError,
    TypedJsonError,
    UnknownTypeError,
    UnsupportedValueError,
)
from session_datasets.boundary.typed.loading import Loader, Resolve
from session_datasets.boundary.typed.registry import REGISTRY, Registry
from session_datasets.boundary.typed.tags import DATASET_KEY, DEPTH_MAX, TYPE_KEY, Json
from session_datasets.boundary.typed.text import parsed, written

__all__ = [
    "DATASET_KEY",
    "DEPTH_MAX",
    "REGISTRY",
    "TYPE_KEY",
    "CyclicValueError",
    "Json",
    "MalformedJsonError",
    "Registry",
    "TooDeepError",
    "TooManyValuesError",
    "TypedJsonError",
    "UnknownTypeError",
    "UnsupportedValueError",
    "canonical",
    "dump",
    "dumps",
    "load",
    "loads",
    "register",
]

register = REGISTRY.register


def dump(value: Any, *, registry: Registry = REGISTRY, replace: Replace | None = None) -> Json:
    """JSON that ``load`` makes ``value`` of again; the value is only read.

    ``replace`` is asked for every value that is no text, number, truth value or None, and answers the JSON object that
    shall stand for it (a reference, which is not escaped then) or None. Raises TypedJsonError, with the path.
    """
    return Dumper(registry, replace=replace).whole(value)


def load(value: Json, *, registry: Registry = REGISTRY, resolve: Resolve | None = None) -> Any:
    """The value that was dumped. ``resolve`` answers what stands for an object with the key "$dataset"; without it
    that object is left as it is. Raises TypedJsonError, with the path."""
    return Loader(registry, resolve=resolve).whole(value)


def dumps(value: Any, *, registry: Registry = REGISTRY) -> bytes:
    """The same as JSON text in UTF-8, compact, mappings in their own order."""
    return written(dump(value, registry=registry))


def loads(data: bytes | str, *, registry: Registry = REGISTRY) -> Any:
    """The value of such a text. A NaN token, a key that stands twice or a number beyond a double is refused."""
    return load(parsed(data), registry=registry)


def canonical(value: Any, *, registry: Registry = REGISTRY) -> bytes:
    """Equal bytes for equal values of equal types, in every process and run; other bytes for others.

    The order of mappings and sets does not count. 1, 1.0 and True differ, and so do Decimal('1.1') and
    Decimal('1.10'), 0.0 and -0.0, and one moment told in two time zones; NaN equals NaN.
    """
    return canonical_text(Dumper(registry, canonical=True).whole(value)).encode()
