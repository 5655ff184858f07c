"""A JSON column whose type the caller names: strings are read as that type, other values by the text of their JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from session_datasets.domain.errors import Refusal
from session_datasets.formats.json.exact_parser import spelled
from session_datasets.formats.json.types import JsonType, Kind
from session_datasets.formats.stream import damaged
from session_datasets.formats.text.hints import HintedColumn, Misfit, hinted_type
from session_datasets.formats.text.rules import TextRule

_CHARACTERS_TOLD = 60
# Values of these are the same text again, whoever parsed them.
_SPELLED_BY_ARROW = (Kind.BOOL, Kind.INT64, Kind.UINT64)


class HintedValues:
    """What becomes of the values of a column hinted as ``hint``. Its ``type`` holds once all values were seen."""

    rule = TextRule.HINT

    def __init__(self, name: str, hint: str) -> None:
        self._name = name
        self._column = HintedColumn(hint, hinted_type(name, hint))

    @property
    def type(self) -> pa.DataType:
        """The Arrow type of the values."""
        return self._column.type

    @property
    def is_text(self) -> bool:
        """Whether the column is hinted as string."""
        return self._column.is_text

    def can_see(self, json_type: JsonType) -> bool:
        """Whether an array of this type still tells how every value was spelled."""
        return json_type.kind in (Kind.NULL, Kind.STRING, *_SPELLED_BY_ARROW) or (
            json_type.kind is Kind.DOUBLE and not self.is_text
        )

    def see(self, values: Sequence[Any], number: int) -> pa.Array:
        """Values as the parser gave them, in the hinted type; ``number`` objects come before. Refusal for one that does
        not fit."""
        texts = [value if value is None or type(value) is str else spelled(value) for value in values]
        return self._converted(pa.array(texts, pa.string()), number)

    def see_array(self, values: pa.Array, json_type: JsonType, number: int) -> pa.Array:
        """The same for an array of a type that ``can_see`` names."""
        if values.type == self.type and not pa.types.is_timestamp(self.type):
            return values
        if json_type.kind is Kind.DOUBLE:
            return self.see(values.to_pylist(), number)
        return self._converted(values.cast(pa.string()), number)

    def finished(self, values: pa.Array) -> pa.Array:
        """Values that were seen, in the type that all of them have."""
        return self._column.finished(values)

    def _converted(self, texts: pa.Array, number: int) -> pa.Array:
        try:
            return self._column.see(texts)
        except Misfit as misfit:
            raise self._told(misfit, number) from misfit

    def _told(self, misfit: Misfit, number: int) -> Refusal:
        value, name = misfit.value, self._name
        told = value if len(value) <= _CHARACTERS_TOLD else value[:_CHARACTERS_TOLD] + "…"
        return damaged(
            f"Column {name[:_CHARACTERS_TOLD]!r} is hinted as {misfit.type}, and object {number + misfit.place + 1:,} "
            f"has {told!r} there.",
            "Correct the value, name it in the hints' nulls if it means no value, or hint the column as string.",
        )
