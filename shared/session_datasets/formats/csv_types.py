"""Which type a CSV column has, by elimination over every one of its values.

A column starts as everything and loses a type with the first value that is not of it; what is left after the
last row is its type, text if nothing is. So a late row decides as much as an early one. Rules:

- bool: ``true``/``false``, ``True``/``False`` or ``TRUE``/``FALSE``, one spelling in the whole column.
- int64: every text prints back the same, so no ``007``, ``+1``, ``-0`` or `` 1``, and it fits 64 bits.
- double: decimal numbers (``1.5``, ``-0.25``, ``.5``, ``1.5e-7``) without leading zeros that a double reproduces
  to the last digit written (see ``numbers``), integers up to 2^53 among them; also ``NaN``, ``nan``, ``inf``,
  ``Inf``, ``Infinity`` and their negatives. At least one value must carry a point or a signed exponent: a column
  of nothing but ``1e5`` and ``12E7`` is more likely of identifiers and stays text.
- date: ``2024-02-29``. timestamp: ``2024-02-29T12:00[:00[.123456789]]``, ``T`` or a space, as fine as its finest
  value (ms, us, ns); all with a zone (``Z``, ``+02:00``: becomes UTC) or none. Days that do not exist make text.
- An empty field is null and says nothing. A quoted empty field is an empty text; in a column that is otherwise
  all of another type it can only mean null, becomes null, and that is said.
- Every value null, or no rows: text.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from session_datasets.formats.numbers import ALWAYS_EXACT_CHARACTERS, double_says, exact_range

_NUMBER = r"^-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$"
_NOT_FINITE = r"^(?:NaN|nan|-?(?:inf|Inf|Infinity))$"
_POINT_OR_SIGNED_EXPONENT = r"[.]|[eE][+-]"
_WIDE_EXPONENT = r"[eE][+-]?[0-9]{3,}$"
_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_TIMESTAMP = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?"
_ZONE = r"(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?)$"
_SPELLINGS = (("true", "false"), ("True", "False"), ("TRUE", "FALSE"))
# Whole years that a timestamp in nanoseconds holds.
_NANOSECOND_YEARS = ("1678", "2261")


class Booleans:
    """One spelling of true and false."""

    def __init__(self) -> None:
        self._spellings = list(_SPELLINGS)

    def accepts(self, values: pa.Array) -> bool:
        words = set(pc.unique(values).to_pylist()) if pc.max(pc.utf8_length(values)).as_py() <= len("false") else {""}
        self._spellings = [spelling for spelling in self._spellings if words <= set(spelling)]
        return bool(self._spellings)

    def type(self) -> pa.DataType:
        return pa.bool_()

    def convert(self, values: pa.Array) -> pa.Array:
        return pc.equal(values, self._spellings[0][0])


class Integers:
    """Texts that an int64 prints back. Remembers whether all of them are exact in a double."""

    def __init__(self) -> None:
        self.exact_in_double = True

    def accepts(self, values: pa.Array) -> bool:
        try:
            numbers = values.cast(pa.int64())
        except pa.ArrowInvalid:
            return False
        if not numbers.cast(pa.string()).equals(values):
            return False
        bounds = pc.min_max(numbers)
        self.exact_in_double = self.exact_in_double and exact_range(bounds["min"].as_py(), bounds["max"].as_py())
        return True

    def type(self) -> pa.DataType:
        return pa.int64()

    def convert(self, values: pa.Array) -> pa.Array:
        return values.cast(pa.int64())


class Doubles:
    """Numbers that a double reproduces."""

    def __init__(self) -> None:
        self._looks_like_measures = False

    def accepts(self, values: pa.Array) -> bool:
        is_number = pc.match_substring_regex(values, _NUMBER)
        rest = values.filter(pc.invert(is_number))
        if not pc.all(pc.match_substring_regex(rest, _NOT_FINITE), min_count=0).as_py():
            return False
        numbers = values.filter(is_number)
        if not self._looks_like_measures:
            self._looks_like_measures = bool(
                pc.any(pc.match_substring_regex(numbers, _POINT_OR_SIGNED_EXPONENT)).as_py()
            )
        return _doubles_say(numbers)

    def type(self) -> pa.DataType | None:
        return pa.float64() if self._looks_like_measures else None

    def convert(self, values: pa.Array) -> pa.Array:
        return pc.cast(values, pa.float64())


def _doubles_say(numbers: pa.Array) -> bool:
    doubtful = numbers.filter(
        pc.or_(
            pc.greater_equal(pc.utf8_length(numbers), ALWAYS_EXACT_CHARACTERS),
            pc.match_substring_regex(numbers, _WIDE_EXPONENT),
        )
    )
    # Most long texts are doubles printed by a program: Arrow prints them the same, at machine speed. Short of
    # 17 digits an integer prints the same too, and beyond 2^53 only ``double_says`` may judge it.
    printed = pc.equal(pc.cast(pc.cast(doubtful, pa.float64()), pa.string()), doubtful)
    fractions = pc.match_substring_regex(doubtful, _POINT_OR_SIGNED_EXPONENT)
    unsure = doubtful.filter(pc.invert(pc.and_(printed, fractions)))
    return all(double_says(text) for text in unsure.to_pylist())


class Dates:
    def accepts(self, values: pa.Array) -> bool:
        if not pc.all(pc.match_substring_regex(values, _DATE)).as_py():
            return False
        try:
            pc.cast(values, pa.date32())
        except pa.ArrowInvalid:
            return False
        return True

    def type(self) -> pa.DataType:
        return pa.date32()

    def convert(self, values: pa.Array) -> pa.Array:
        return pc.cast(values, pa.date32())


class Timestamps:
    """Timestamps that all name a zone, or of which none does."""

    def __init__(self, zoned: bool) -> None:
        self._pattern = _TIMESTAMP + (_ZONE if zoned else "$")
        self._zone = "UTC" if zoned else None
        self._unit = "ms"
        self._years = ("9999", "0000")

    def accepts(self, values: pa.Array) -> bool:
        if not pc.all(pc.match_substring_regex(values, self._pattern)).as_py():
            return False
        self._unit = self._finer(values)
        years = pc.min_max(pc.utf8_slice_codeunits(values, 0, 4))
        self._years = (min(self._years[0], years["min"].as_py()), max(self._years[1], years["max"].as_py()))
        if self.type() is None:
            return False
        try:
            self.convert(values)
        except pa.ArrowInvalid:
            return False
        return True

    def _finer(self, values: pa.Array) -> str:
        for unit, pattern in (("ns", r"\.[0-9]{7,}"), ("us", r"\.[0-9]{4,}")):
            if self._unit == unit or pc.any(pc.match_substring_regex(values, pattern)).as_py():
                return unit
        return self._unit

    def type(self) -> pa.DataType | None:
        low, high = _NANOSECOND_YEARS
        if self._unit == "ns" and (self._years[0] < low or self._years[1] > high):
            return None
        return pa.timestamp(self._unit, self._zone)

    def convert(self, values: pa.Array) -> pa.Array:
        return pc.cast(values, self.type())


Candidate = Booleans | Integers | Doubles | Dates | Timestamps


class ColumnTypes:
    """What one column can still be. ``see`` every block of it, then ask for ``type`` and ``convert``."""

    def __init__(self) -> None:
        self._integers = Integers()
        self._doubles = Doubles()
        self._candidates: list[Candidate] = [
            Booleans(), self._integers, self._doubles, Dates(), Timestamps(zoned=False), Timestamps(zoned=True)
        ]  # fmt: skip
        self._any_value = False
        self._any_empty_text = False

    def see(self, texts: pa.Array) -> None:
        if not self._candidates:
            return
        texts = texts.drop_null() if texts.null_count else texts
        if len(texts) and not self._all_integers(texts):
            self._eliminate(texts)

    def _all_integers(self, texts: pa.Array) -> bool:
        """The quick way through a column of integers, which are doubles too as long as a double holds them."""
        if self._integers not in self._candidates or not self._integers.accepts(texts):
            return False
        self._any_value = True
        exact = self._integers.exact_in_double and self._doubles in self._candidates
        self._candidates = [self._integers, self._doubles] if exact else [self._integers]
        return True

    def _eliminate(self, texts: pa.Array) -> None:
        empty = pc.equal(texts, "")
        if pc.any(empty).as_py():
            self._any_empty_text = True
            texts = texts.filter(pc.invert(empty))
        if len(texts):
            self._any_value = True
            self._candidates = [candidate for candidate in self._candidates if candidate.accepts(texts)]

    def _chosen(self) -> Candidate | None:
        if not self._any_value:
            return None
        return next((candidate for candidate in self._candidates if candidate.type() is not None), None)

    @property
    def type(self) -> pa.DataType:
        chosen = self._chosen()
        return pa.string() if chosen is None else chosen.type()

    @property
    def nulls_empty_texts(self) -> bool:
        """Whether quoted empty fields of this column become null."""
        return self._any_empty_text and self._chosen() is not None

    def convert(self, texts: pa.Array) -> pa.Array:
        chosen = self._chosen()
        if chosen is None:
            return texts
        if self._any_empty_text:
            texts = pc.if_else(pc.equal(texts, ""), pa.scalar(None, pa.string()), texts)
        return chosen.convert(texts)
