"""Why a value was not written as typed JSON, or typed JSON not read. A developer meets these; none is of the client."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest.mock import patch

from session_datasets.boundary import typed_json
from session_datasets.boundary.typed import errors
from session_datasets.boundary.typed.dumping import Dumper
from session_datasets.boundary.typed.errors import TypedJsonError
from session_datasets.boundary.typed.tags import VALUES_MAX
from tests.contract.raised.showing import Examples, Place, raised

EXAMPLES = Examples({})


def _of(kind: type[TypedJsonError]) -> Callable[[Callable[[Place], Any]], None]:
    def keep(scenario: Callable[[Place], Any]) -> None:
        def shown(place: Place) -> str:
            return f"{kind.__name__}: {raised(kind, scenario, place)}"

        EXAMPLES.told(kind.code, shown)

    return keep


@_of(errors.UnsupportedValueError)
def unsupported(place: Place) -> None:
    typed_json.dump({"rows": [open]})


@_of(errors.CyclicValueError)
def cyclic(place: Place) -> None:
    value: dict[str, Any] = {"n": 1}
    value["me"] = value
    typed_json.dump(value)


@_of(errors.TooDeepError)
def too_deep(place: Place) -> None:
    value: list[Any] = []
    for _ in range(10_000):
        value = [value]
    typed_json.dump(value)


@_of(errors.TooManyValuesError)
def too_many(place: Place) -> None:
    begin = Dumper.__init__

    def late(dumper: Any, *given: Any, **more: Any) -> None:
        """As if so many had been written already."""
        begin(dumper, *given, **more)
        dumper._count = VALUES_MAX

    with patch.object(Dumper, "__init__", late):
        typed_json.dump([1, 2, 3])


@_of(errors.MalformedJsonError)
def malformed(place: Place) -> None:
    typed_json.load({"$type": "date/1", "value": "yesterday"})


@_of(errors.UnknownTypeError)
def unknown_type(place: Place) -> None:
    typed_json.load({"$type": "money/1", "value": "10 EUR"})
