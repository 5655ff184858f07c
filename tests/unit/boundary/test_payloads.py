"""How Temporal's payloads are made, and how that joins a converter that a program has already."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from typing import Any

import pytest
from pydantic import BaseModel, Field
from temporalio.api.common.v1 import Payload
from temporalio.contrib.pydantic import PydanticPayloadConverter
from temporalio.converter import (
    CompositePayloadConverter,
    DataConverter,
    DefaultFailureConverter,
    DefaultPayloadConverter,
    JSONPlainPayloadConverter,
    PayloadCodec,
)

from session_datasets.boundary.payloads import SetFieldsPayloadConverter, build_data_converter
from session_datasets.client.errors import ConfigurationError


class State(BaseModel):
    name: str
    note: str | None = None
    tags: list[str] = Field(default_factory=list)
    old: str = Field(default="", deprecated="use name")


def sent(value: Any) -> Any:
    [payload] = build_data_converter().payload_converter.to_payloads([value])
    return json.loads(payload.data)


def test_fields_that_nobody_set_are_not_sent() -> None:
    assert sent([State(name="a"), State(name="b", note=None)]) == [{"name": "a"}, {"name": "b", "note": None}]


def test_what_is_not_sent_takes_its_default_again() -> None:
    converter = build_data_converter().payload_converter
    payloads = converter.to_payloads([State(name="a")])
    assert converter.from_payloads(payloads, [State]) == [State(name="a")]


def test_a_field_that_is_not_known_is_ignored() -> None:
    converter = build_data_converter().payload_converter
    payloads = converter.to_payloads([{"name": "a", "newer": 1}])
    assert converter.from_payloads(payloads, [State]) == [State(name="a")]


def test_a_deprecated_field_causes_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sent(State(name="a", old="b")) == {"name": "a", "old": "b"}


def test_the_same_value_is_sent_as_the_same_bytes() -> None:
    converter = build_data_converter().payload_converter
    one, other = (converter.to_payloads([State(name="a", tags=["x"])])[0] for _ in range(2))
    assert one.SerializeToString(deterministic=True) == other.SerializeToString(deterministic=True)


def test_without_a_converter_ours_is_taken() -> None:
    assert build_data_converter(None).payload_converter_class is SetFieldsPayloadConverter


class Codec(PayloadCodec):
    async def encode(self, payloads: Sequence[Payload]) -> list[Payload]:
        return list(payloads)

    async def decode(self, payloads: Sequence[Payload]) -> list[Payload]:
        return list(payloads)


class Failures(DefaultFailureConverter):
    pass


def test_the_default_payload_converter_is_exchanged_and_all_else_kept() -> None:
    codec = Codec()
    theirs = DataConverter(payload_codec=codec, failure_converter_class=Failures)
    built = build_data_converter(theirs)
    assert built.payload_converter_class is SetFieldsPayloadConverter
    assert (built.payload_codec, built.failure_converter_class) == (codec, Failures)
    # Theirs is not changed.
    assert theirs.payload_converter_class is DefaultPayloadConverter


class DerivedFromOurs(SetFieldsPayloadConverter):
    pass


@pytest.mark.parametrize("compatible", [SetFieldsPayloadConverter, DerivedFromOurs, PydanticPayloadConverter])
def test_a_converter_that_speaks_pydantics_json_is_kept(compatible: type[Any]) -> None:
    theirs = DataConverter(payload_converter_class=compatible)
    assert build_data_converter(theirs) is theirs


class Own(CompositePayloadConverter):
    def __init__(self) -> None:
        super().__init__(JSONPlainPayloadConverter())


class OwnDefault(DefaultPayloadConverter):
    """Derived from the default, so that it does something else than the default."""


@pytest.mark.parametrize("own", [Own, OwnDefault])
def test_a_converter_of_the_programs_own_is_refused_with_what_to_do(own: type[Any]) -> None:
    theirs = DataConverter(payload_converter_class=own)
    with pytest.raises(ConfigurationError, match="was not replaced") as refused:
        build_data_converter(theirs)
    assert own.__name__ in refused.value.detail
    assert "SetFieldsPayloadConverter" in refused.value.advice
