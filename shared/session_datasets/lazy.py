"""Names that a package offers, each loaded when it is asked for: nobody imports a framework, or a client, unused."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any

_Offer = tuple[Callable[[str], Any], Callable[[], list[str]]]


def offered(
    package: str,
    homes: Mapping[str, str],
    *,
    modules: Mapping[str, str] = MappingProxyType({}),
    before: Callable[[], object] = lambda: None,
) -> _Offer:
    """``__getattr__`` and ``__dir__`` of a package, as PEP 562 has them.

    ``homes`` has the module of each name, below the package: ``{"Workspace": "client.workspace"}``, or
    ``"wire.reference:ReferenceModel"`` where it has another name there. ``modules`` are offered as such, likewise:
    ``{"errors": "client.errors"}``. ``before`` is called ahead of a name's module, and raises where something is
    missing. AttributeError for any other name.
    """

    def load(name: str) -> Any:
        if name in modules:
            return import_module(f"{package}.{modules[name]}")
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        before()
        module, _, attribute = homes[name].partition(":")
        return getattr(import_module(f"{package}.{module}"), attribute or name)

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *homes, *modules})

    return load, names
