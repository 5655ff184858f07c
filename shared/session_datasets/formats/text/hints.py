"""Columns whose type the caller names: every value fits it or the file is refused, with the row at fault.

Texts are read as Arrow's casts read them: int64 and decimal may have leading zeros, bool is true, false, 1 or 0 in
any case, a decimal is exactly the number that is written, a double prints it back, a timestamp may lack its time of
day. Quoted empty fields are null in every type but string.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal

import pyarrow as pa
import pyarrow.compute as pc

from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.near_names import near_names
from session_datasets.formats.stream import damaged
from session_datasets.formats.text.numbers import ALWAYS_EXACT_CHARACTERS, Spans, exact_doubles, prints_back
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
# However they are spelled, no number is meant.
_NOT_FINITE = r"(?i)^[+-]?(?:nan|inf|infinity)$"
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
        cast = cast_to(self.type)
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


def cast_to(type_: pa.DataType) -> Callable[[pa.Array], pa.Array | None]:
    """The texts in the type, None if one of them does not fit."""

    def cast(texts: pa.Array) -> pa.Array | None:
        try:
            converted = texts.cast(type_)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            return None
        return None if _bent(texts, converted) else converted

    return cast


def _bent(texts: pa.Array, converted: pa.Array) -> bool:
    """Whether a value is not what its text says, since Arrow's casts take more than anyone means."""
    if pa.types.is_integer(converted.type):
        return bool(pc.any(pc.match_substring(texts, "x", ignore_case=True)).as_py())  # hexadecimal
    if pa.types.is_floating(converted.type):
        return any(not _prints_back(text) for text in _doubtful(texts, converted))
    if pa.types.is_decimal(converted.type):
        return _any_other_decimal(texts, converted)
    return False


def _doubtful(texts: pa.Array, converted: pa.Array) -> list[str]:
    """Texts that a double may not print back: those of more than 15 characters, with exponents, or of no number."""
    if converted.null_count == len(converted) or exact_doubles(texts, Spans(texts)) is not None:
        return []
    long = pc.greater_equal(pc.binary_length(texts), ALWAYS_EXACT_CHARACTERS)
    odd = pc.match_substring_regex(texts, "[eEfFnN(]")
    doubtful = texts.filter(pc.or_(long, odd))
    found: list[str] = doubtful.filter(pc.invert(pc.match_substring_regex(doubtful, _NOT_FINITE))).to_pylist()
    return found


def _prints_back(text: str) -> bool:
    try:
        return prints_back(text)
    except ValueError:  # Arrow takes "nan(7)"
        return False


def _any_other_decimal(texts: pa.Array, converted: pa.Array) -> bool:
    """Arrow's casts to decimals pass over what does not fit: 928 would be 9.2376… as decimal(38,37)."""
    type_ = converted.type
    whole, places = type_.precision - type_.scale, type_.scale
    plain = pc.match_substring_regex(texts, rf"^[+-]?[0-9]{{0,{whole}}}(?:\.[0-9]{{0,{places}}})?$")
    doubtful = pc.invert(plain)
    return any(
        not _same_decimal(text, value)
        for text, value in zip(texts.filter(doubtful).to_pylist(), converted.filter(doubtful).to_pylist(), strict=True)
    )


def _same_decimal(text: str, value: Decimal) -> bool:
    try:
        return Decimal(text) == value
    except ArithmeticError:
        return False
