"""Columns whose type the caller names: every value fits it or the file is refused, with the row at fault.

Texts are read as Arrow's casts read them: int64 and decimal may have leading zeros, bool is true, false, 1 or 0 in
any case, a decimal has no more digits after its point than its scale, a double is the nearest one, a timestamp may
lack its time of day. Quoted empty fields are null in every type but string.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

import pyarrow as pa
import pyarrow.compute as pc

from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.near_names import near_names
from session_datasets.formats.stream import damaged
from session_datasets.formats.text.rules import TextRule

_TYPES: Mapping[str, pa.DataType] = {
    "string": pa.string(),
    "bool": pa.bool_(),
    "int64": pa.int64(),
    "double": pa.float64(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us"),
}
_DECIMAL = re.compile(r"decimal\((\d{1,2}),\s*(\d{1,2})\)")
_DECIMAL_DIGITS_MAX = 38
_ZONED = r"[0-9](?:Z|[+-][0-9]{2}(?::?[0-9]{2})?)$"
_DATE_CHARACTERS = len("2024-02-29")
_VALUE_CHARACTERS_TOLD = 60


class Misfit(Exception):
    """The value at ``place`` of a block is not of the hinted type."""

    def __init__(self, place: int, value: str, type_: str) -> None:
        super().__init__(value)
        self.place, self.value, self.type = place, value, type_


def hinted_type(column: str, spelled: str) -> pa.DataType:
    """Refusal for a type that can not be hinted."""
    if spelled in _TYPES:
        return _TYPES[spelled]
    found = _DECIMAL.fullmatch(spelled)
    if found:
        precision, scale = int(found[1]), int(found[2])
        if 1 <= precision <= _DECIMAL_DIGITS_MAX and scale <= precision:
            return pa.decimal128(precision, scale)
    raise Refusal(
        ProblemCode.INVALID_REQUEST,
        f"The hint for column {column[:_VALUE_CHARACTERS_TOLD]!r} names the type {spelled[:_VALUE_CHARACTERS_TOLD]!r}.",
        advice=f"Name one of {', '.join(_TYPES)} or decimal(p,s) with at most {_DECIMAL_DIGITS_MAX} digits.",
    )


def require_known(hinted: Iterable[str], names: Iterable[str]) -> None:
    """Refusal unless every hinted column is one of the file's."""
    known = list(names)
    held = set(known)
    for column in hinted:
        if column not in held:
            raise Refusal(
                ProblemCode.UNKNOWN_COLUMN,
                f"The hints name the column {column[:_VALUE_CHARACTERS_TOLD]!r}, which the file does not have.",
                advice="Name columns as the file's header does, or leave the hint out.",
                did_you_mean=near_names(column, known),
            )


def misfit_told(column: str, row: int, misfit: Misfit) -> Refusal:
    """The refusal of a value; the header is row 1."""
    value = misfit.value
    told = value if len(value) <= _VALUE_CHARACTERS_TOLD else value[:_VALUE_CHARACTERS_TOLD] + "…"
    return damaged(
        f"Column {column[:_VALUE_CHARACTERS_TOLD]!r} is hinted as {misfit.type}, and row {row:,} has {told!r} there "
        "(the header is row 1; blank lines do not count).",
        "Correct the value, name it in the hints' nulls if it means no value, or hint the column as string.",
    )


class HintedColumn:
    """``ColumnTypes`` of one type that is given."""

    rule = TextRule.HINT
    nulls_empty_texts = False
    needs_texts = False

    def __init__(self, spelled: str, type_: pa.DataType) -> None:
        self._spelled = spelled
        self.type = type_
        self._zone_known = False

    @property
    def is_text(self) -> bool:
        return bool(self.type == pa.string())

    def see(self, texts: pa.Array) -> pa.Array:
        """The values in the hinted type. Raises Misfit."""
        if self.is_text:
            return texts
        values = pc.if_else(pc.equal(texts, ""), pa.scalar(None, pa.string()), texts)
        if values.null_count == len(values):
            return pa.nulls(len(values), self.type)
        if pa.types.is_timestamp(self.type):
            self._refine(values)
        return self._converted(values)

    def _refine(self, values: pa.Array) -> None:
        """The first value decides whether there are zones, the finest one the unit."""
        if not self._zone_known:
            first = values.drop_null()[0].as_py()
            self.type = pa.timestamp("us", "UTC" if len(first) > _DATE_CHARACTERS and _is_zoned(first) else None)
            self._zone_known = True
        if self.type.unit == "us" and pc.any(pc.match_substring_regex(values, r"\.[0-9]{7,}")).as_py():
            self.type = pa.timestamp("ns", self.type.tz)

    def _converted(self, values: pa.Array) -> pa.Array:
        cast = _cast_to(self.type)
        converted = cast(values)
        if converted is not None:
            return converted
        begin, end = 0, len(values)
        while end - begin > 1:
            middle = (begin + end) // 2
            begin, end = (begin, middle) if cast(values.slice(begin, middle - begin)) is None else (middle, end)
        raise Misfit(begin, values[begin].as_py(), self._spelled)

    def finished(self, seen: pa.Array) -> pa.Array | None:
        """See ``ColumnTypes.finished``."""
        if seen.type == self.type:
            return seen
        try:
            return seen.cast(self.type)
        except pa.ArrowInvalid as error:
            raise damaged(
                "A column hinted as timestamp has times in nanoseconds and years that nanoseconds do not reach.",
                "Write the times with six digits of a second at most, or hint the column as string.",
            ) from error

    def convert(self, texts: pa.Array) -> pa.Array:
        """See ``ColumnTypes.convert``."""
        return self.see(texts)


def _is_zoned(text: str) -> bool:
    return re.search(_ZONED, text) is not None


def _cast_to(type_: pa.DataType) -> Callable[[pa.Array], pa.Array | None]:
    """The texts in the type, None if one of them does not fit."""

    def cast(texts: pa.Array) -> pa.Array | None:
        try:
            converted = texts.cast(type_)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            return None
        return None if _bent(texts, converted) else converted

    return cast


def _bent(texts: pa.Array, converted: pa.Array) -> bool:
    """What Arrow's casts take and no one means: hexadecimal integers, and numbers too large for a double."""
    if pa.types.is_integer(converted.type):
        return bool(pc.any(pc.match_substring(texts, "x", ignore_case=True)).as_py())
    if pa.types.is_floating(converted.type):
        beyond = pc.and_(pc.is_inf(converted), pc.invert(pc.match_substring(texts, "inf", ignore_case=True)))
        return bool(pc.any(beyond).as_py())
    return False
