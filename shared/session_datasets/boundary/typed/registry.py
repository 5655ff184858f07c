"""The allow-list of a program's own types. What is not in it is neither written nor built: data names no module."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeVar

from session_datasets.boundary.typed.errors import UnknownTypeError
from session_datasets.boundary.typed.scalars import RULES_BY_NAME
from session_datasets.boundary.typed.tags import tagged

_T = TypeVar("_T", bound=type)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.\-]*")
_OWN = frozenset({"tuple", "set", "frozenset", "dict", "numpy"})


@dataclass(frozen=True, slots=True)
class Registered:
    """``parts`` gives a value that typed JSON can spell, ``build`` the object again."""

    name: str
    version: int
    cls: type
    parts: Callable[[Any], Any]
    build: Callable[[Any], Any]


class Registry:
    """Types by class, and by the name in their tag. A subclass of a registered type is not registered by that."""

    def __init__(self) -> None:
        self._by_class: dict[type, Registered] = {}
        self._by_name: dict[str, Registered] = {}

    def register(
        self,
        cls: _T,
        *,
        name: str | None = None,
        version: int = 1,
        parts: Callable[[Any], Any] | None = None,
        build: Callable[[Any], Any] | None = None,
    ) -> _T:
        """Allows an enum, a dataclass, or any class with ``parts`` and ``build``; also a decorator without options.

        ``name`` is the class's own when None; it stands in the data, so it outlives a rename of the class. ``version``
        is raised when older readers must refuse. ValueError for a name that is taken, TypeError without a rule.
        """
        name = name or cls.__name__
        if not _NAME.fullmatch(name) or name in RULES_BY_NAME or name in _OWN:
            raise ValueError(f"{name!r} is no name for a type of yours; nothing was registered.")
        taken = self._by_name.get(name)
        if taken is not None and taken.cls is not cls:
            raise ValueError(f"{name!r} is registered for {taken.cls.__qualname__}; pass another name=.")
        default_parts, default_build = _rules_of(cls) if parts is None or build is None else (parts, build)
        entry = Registered(name, version, cls, parts or default_parts, build or default_build)
        self._by_class[cls] = self._by_name[name] = entry
        return cls

    def extended(self) -> Registry:
        """Another registry with the same types, to which more can be added."""
        other = Registry()
        other._by_class.update(self._by_class)
        other._by_name.update(self._by_name)
        return other

    def of_class(self, cls: type) -> Registered | None:
        return self._by_class.get(cls)

    def of_tag(self, name: str, version: int, path: str) -> Registered:
        """UnknownTypeError for a name or version that this process does not know."""
        entry = self._by_name.get(name)
        if entry is None:
            raise UnknownTypeError(
                f"The type {name!r} is not registered here, so it was not built.",
                "Register it with typed_json.register before reading, under the name that the writer used.",
                path,
            )
        if version > entry.version:
            raise UnknownTypeError(
                f"The data has version {version} of {name!r}, this process knows up to {entry.version}.",
                "Deploy the version of the program that wrote it.",
                path,
            )
        return entry


def _rules_of(cls: type) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    if issubclass(cls, Enum):
        return _enum_rules(cls)
    if dataclasses.is_dataclass(cls):
        return _dataclass_rules(cls)
    raise TypeError(f"{cls.__name__} is neither an enum nor a dataclass: pass parts= and build=.")


def _enum_rules(cls: type[Enum]) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    def name_of(member: Any) -> Any:
        # A combination of flags has no name of its own.
        return member.name if member.name in cls.__members__ else [member.value]

    def member_of(parts: Any) -> Any:
        return cls[parts] if isinstance(parts, str) else cls(parts[0])

    return name_of, member_of


def _dataclass_rules(cls: Any) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    names = [each.name for each in dataclasses.fields(cls) if each.init]

    def parts_of(value: Any) -> Any:
        return {name: getattr(value, name) for name in names}

    def build_of(parts: Any) -> Any:
        # A field that a later version added is left out; one that it dropped takes its default, or __init__ refuses.
        return cls(**{name: parts[name] for name in names if name in parts})

    return parts_of, build_of


def tag_of(entry: Registered, parts_json: Any) -> dict[str, Any]:
    return tagged(entry.name, parts_json, entry.version)


REGISTRY = Registry()
