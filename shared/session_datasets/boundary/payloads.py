"""How Temporal's payloads are made: Pydantic's JSON without the fields that nobody set, added to whatever converter a
program has, and never instead of one of its own."""

from __future__ import annotations

import dataclasses
from importlib import import_module
from typing import TYPE_CHECKING, Any

from session_datasets.client.errors import ConfigurationError, MissingExtraError

if TYPE_CHECKING:
    from temporalio.converter import DataConverter

    from session_datasets.boundary.temporal.payload_converter import SetFieldsPayloadConverter

__all__ = ["SetFieldsPayloadConverter", "build_data_converter"]


def build_data_converter(user_converter: DataConverter | None = None) -> DataConverter:
    """The converter for a client, a worker or a replayer.

    None gives ours. The SDK's default payload converter is exchanged for ours, everything else of ``user_converter``
    (codec, failure converter, external storage) kept. One that speaks Pydantic's JSON already, ours or Temporal's or a
    subclass of either, is kept as it is. Any other is the program's own: ConfigurationError, which says how to join
    the two.
    """
    temporal = required_temporal()
    ours = import_module("session_datasets.boundary.temporal.payload_converter").SetFieldsPayloadConverter
    if user_converter is None:
        return _converter(temporal.DataConverter(payload_converter_class=ours))
    theirs = user_converter.payload_converter_class
    if theirs is temporal.DefaultPayloadConverter:
        return _converter(dataclasses.replace(user_converter, payload_converter_class=ours))
    if issubclass(theirs, import_module("temporalio.contrib.pydantic").PydanticPayloadConverter):
        return user_converter
    raise ConfigurationError(
        f"The data converter has a payload converter of its own, {theirs.__module__}.{theirs.__qualname__}, which was "
        "not replaced.",
        "Derive it from session_datasets.boundary.payloads.SetFieldsPayloadConverter, or put that one's JSON converter "
        "among its encoding converters and derive from temporalio.contrib.pydantic.PydanticPayloadConverter.",
    )


def required_temporal() -> Any:
    """The module of Temporal's converters, or MissingExtraError that names how to get it."""
    try:
        return import_module("temporalio.converter")
    except ImportError:
        raise MissingExtraError(
            "Temporal's payloads need temporalio, which is not installed.",
            "Run: pip install 'session-datasets[temporal]'",
        ) from None


def _converter(made: Any) -> DataConverter:
    converter: DataConverter = made
    return converter


def __getattr__(name: str) -> Any:
    if name != "SetFieldsPayloadConverter":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    required_temporal()
    return import_module("session_datasets.boundary.temporal.payload_converter").SetFieldsPayloadConverter
