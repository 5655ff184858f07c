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

A column is read block by block. ``ColumnTypes.see`` answers a block's values in the type that they have so far;
``finished`` makes them the column's final type, once every block was seen, or says that it needs their texts again.
docs/typing.md tells the same to users and names the rules.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate
from typing import Protocol

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kind

from session_datasets.formats.csv.times import Dates, Timestamps
from session_datasets.formats.text import numbers
from session_datasets.formats.text.numbers import Spans, exact_doubles, exact_integers, exact_range
from session_datasets.formats.text.rules import TextRule as Rule

# So many values of a column are looked at before all of its first block are.
_FIRST_VALUES = 16
_SPELLINGS = (("true", "false"), ("True", "False"), ("TRUE", "FALSE"))
_DIGITS = re.compile(r"[+-]?[0-9]+")
_NUMERAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_LEADING = re.compile(r"[+-]?0[0-9]|\+")
_MAYBE_DOUBLE = re.compile(r"[+-]?[0-9.iInN]")
# Any one value that could be of a type; what else a text column holds makes it text for its own sake.
_OF_SOME_TYPE = (
    r"^(?:[Tt]rue|TRUE|[Ff]alse|FALSE|NaN|nan|-?(?:inf|Inf|Infinity)|[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
    r"|[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9.]+)?(?:Z|[+-][0-9:]+)?)?)$"
)
_ANY_TYPE = re.compile(_OF_SOME_TYPE)


class Candidate(Protocol):
    """One type that a column may still be of."""

    rule: Rule

    def may_accept(self, text: str) -> bool:
        """Whether the text looks like one of the type; true of all that are."""

    def accepts(self, values: pa.Array, spans: Spans) -> pa.Array | None:
        """The values in this type, None if one of them is not of it. Some is held, none is empty, some may be null."""

    def type(self) -> pa.DataType | None:
        """None if the values, though of this type, do not make the column so."""

    def convert(self, values: pa.Array) -> pa.Array:
        """Values that were accepted, in ``type()``."""


class Booleans:
    """One spelling of true and false."""

    rule = Rule.BOOLEANS

    def __init__(self) -> None:
        self._spellings = list(_SPELLINGS)
        self.spelling = _SPELLINGS[0]

    def may_accept(self, text: str) -> bool:
        return text.lower() in _SPELLINGS[0]

    def accepts(self, values: pa.Array, spans: Spans) -> pa.Array | None:
        if int(spans.lengths.max()) > len("false"):
            return None
        words = set(pc.unique(values).to_pylist()) - {None}
        fitting = [spelling for spelling in self._spellings if words <= set(spelling)]
        if not fitting:
            return None
        self._spellings, self.spelling = fitting, fitting[0]
        return self.convert(values)

    def type(self) -> pa.DataType:
        return pa.bool_()

    def convert(self, values: pa.Array) -> pa.Array:
        return pc.equal(values, self.spelling[0])

    def texts(self, values: pa.Array) -> pa.Array:
        """The texts that were converted to ``values``."""
        return pc.if_else(values, *self.spelling)


class Integers:
    """Texts that an int64 prints back. Remembers whether all of them are exact in a double."""

    rule = Rule.INTEGERS

    def __init__(self) -> None:
        self.exact_in_double = True

    def may_accept(self, text: str) -> bool:
        return _DIGITS.fullmatch(text) is not None

    def accepts(self, values: pa.Array, spans: Spans) -> pa.Array | None:
        found = exact_integers(values, spans)
        if found is None:
            return None
        self.exact_in_double = self.exact_in_double and exact_range(found.low, found.high)
        return found.values

    def type(self) -> pa.DataType:
        return pa.int64()

    def convert(self, values: pa.Array) -> pa.Array:
        return values.cast(pa.int64())


class Doubles:
    """Numbers that a double reproduces."""

    rule = Rule.DOUBLES

    def __init__(self) -> None:
        self._measured = False

    def may_accept(self, text: str) -> bool:
        return _MAYBE_DOUBLE.match(text) is not None

    def accepts(self, values: pa.Array, spans: Spans) -> pa.Array | None:
        found = exact_doubles(values, spans)
        if found is None:
            return None
        self._measured = self._measured or found.measured
        return found.values

    def type(self) -> pa.DataType | None:
        return pa.float64() if self._measured else None

    def convert(self, values: pa.Array) -> pa.Array:
        return values.cast(pa.float64())


class ColumnTypes:
    """What one column can still be. ``see`` every block of it, then ask for ``type`` and ``finished``."""

    def __init__(self) -> None:
        self._booleans, self._integers, self._doubles = Booleans(), Integers(), Doubles()
        self._candidates: list[Candidate] = [
            self._booleans, self._integers, self._doubles, Dates(),
            Timestamps(None), Timestamps("UTC"),
        ]  # fmt: skip
        self._any_value = False
        self._any_empty_text = False
        self._why_text = Rule.TEXT
        self._seen_types: set[pa.DataType] = set()

    @property
    def is_text(self) -> bool:
        """Whether nothing that follows can change that the column is text."""
        return not self._candidates

    def see(self, texts: pa.Array) -> pa.Array:
        """The block's values in the type of the column so far: as texts, as nulls of no type, or converted.

        Quoted empty fields are null in a converted block.
        """
        if not self._candidates:
            return texts
        seen = self._seen(texts)
        self._seen_types.add(seen.type)
        return seen

    def _seen(self, texts: pa.Array) -> pa.Array:
        if texts.null_count == len(texts):
            return pa.nulls(len(texts))
        values, spans = texts, Spans(texts)
        if spans.empty:
            self._any_empty_text = True
            values = _emptied(texts)
            if not len(spans.starts):
                return texts
        converted = self._judged(values, spans)
        return texts if converted is None else converted

    def _judged(self, values: pa.Array, spans: Spans) -> pa.Array | None:
        """The values in the type of the column so far, None for text."""
        had_values, self._any_value = self._any_value, True
        if not had_values:
            self._narrow(values.slice(0, _FIRST_VALUES))
        if self._integers in self._candidates and (converted := self._integers.accepts(values, spans)) is not None:
            # The quick way through integers, which are doubles too as long as a double holds them.
            exact = self._integers.exact_in_double and self._doubles in self._candidates
            self._candidates = [self._integers, self._doubles] if exact else [self._integers]
            return converted
        found = [
            (candidate, converted)
            for candidate in self._candidates
            if candidate is not self._integers and (converted := candidate.accepts(values, spans)) is not None
        ]
        self._candidates = [candidate for candidate, _ in found]
        if not found:
            self._why_text = _why_text(values, had_values)
        return next((converted for candidate, converted in found if candidate.type() is not None), None)

    def _narrow(self, first: pa.Array) -> None:
        """Drops what a few values rule out by their looks: asking Arrow takes long, even if it finds the first value
        not to be of the type."""
        for text in first.drop_null().to_pylist():
            self._candidates = [each for each in self._candidates if each.may_accept(text)]

    def _chosen(self) -> Candidate | None:
        if not self._any_value:
            return None
        return next((candidate for candidate in self._candidates if candidate.type() is not None), None)

    @property
    def type(self) -> pa.DataType:
        chosen = self._chosen()
        return pa.string() if chosen is None else chosen.type()

    @property
    def rule(self) -> Rule:
        """Which rule decided ``type``."""
        chosen = self._chosen()
        if chosen is not None:
            return chosen.rule
        if not self._any_value:
            return Rule.TEXT if self._any_empty_text else Rule.NO_VALUES
        return Rule.EXPONENTS if self._candidates else self._why_text

    @property
    def nulls_empty_texts(self) -> bool:
        """Whether quoted empty fields of this column become null."""
        return self._any_empty_text and self._chosen() is not None

    @property
    def needs_texts(self) -> bool:
        """Whether ``finished`` may ask for the texts of some block."""
        if self._chosen() is not None:
            return False
        converted = self._seen_types - {pa.null(), pa.string()}
        return bool(converted) and (self._any_empty_text or not all(_prints_back(type_) for type_ in converted))

    def finished(self, seen: pa.Array) -> pa.Array | None:
        """What ``see`` answered of a block, in the column's final type; None if only its texts can tell."""
        chosen, type_ = self._chosen(), self.type
        if seen.type == type_:
            # Texts of a column that was never anything else, or values converted as they are now.
            return seen
        if kind.is_null(seen.type):
            return pa.nulls(len(seen), type_)
        if kind.is_string(seen.type):
            return self.convert(seen)
        if chosen is not None:
            return seen.cast(type_)
        if not _prints_back(seen.type) or (self._any_empty_text and seen.null_count):
            return None
        return self._booleans.texts(seen) if kind.is_boolean(seen.type) else seen.cast(type_)

    def convert(self, texts: pa.Array) -> pa.Array:
        """Texts of the column in its final type."""
        chosen = self._chosen()
        if chosen is None:
            return texts
        if texts.null_count == len(texts):
            return pa.nulls(len(texts), self.type)
        return chosen.convert(_emptied(texts) if self._any_empty_text else texts)


def seen_together(columns: Sequence[ColumnTypes], texts: Sequence[pa.Array]) -> list[pa.Array] | None:
    """What ``see`` answers of columns whose types so far are all int64 or all double: at once, since a column of few
    values costs hardly less than one of thousands. None if they must be asked one by one."""
    joined = pa.concat_arrays(texts)
    spans = Spans(joined)
    if spans.empty or not len(spans.starts):
        return None
    found: numbers.Integers | numbers.Doubles | None
    if columns[0].type == pa.int64():
        found = exact_integers(joined, spans)
        if found is None or not exact_range(found.low, found.high):
            return None
    else:
        found = exact_doubles(joined, spans)
        if found is None:
            return None
    ends = list(accumulate(len(each) for each in texts))
    return [found.values.slice(end - len(each), len(each)) for end, each in zip(ends, texts, strict=True)]


def _prints_back(type_: pa.DataType) -> bool:
    """Whether values of this type were taken because they print as they were written."""
    return bool(kind.is_boolean(type_) or kind.is_integer(type_) or kind.is_date(type_))


def _emptied(texts: pa.Array) -> pa.Array:
    """Null instead of empty texts."""
    return pc.if_else(pc.equal(texts, ""), pa.scalar(None, pa.string()), texts)


def _why_text(values: pa.Array, had_values: bool) -> Rule:
    """Why a block of texts left the column no type; ``had_values`` says that the blocks before did not."""
    distinct = pc.unique(values).drop_null().to_pylist()
    if all(_DIGITS.fullmatch(text) for text in distinct):
        return Rule.LEADING_ZERO if any(_LEADING.match(text) for text in distinct) else Rule.LONG_INTEGER
    if all(_NUMERAL.fullmatch(text) for text in distinct):
        return Rule.LEADING_ZERO if any(_LEADING.match(text) for text in distinct) else Rule.LONG_NUMBER
    if _ANY_TYPE.fullmatch(distinct[0]) is None:
        return Rule.TEXT
    some_type = len(distinct) > 1 or had_values
    return Rule.MIXED if some_type and pc.all(pc.match_substring_regex(values, _OF_SOME_TYPE)).as_py() else Rule.TEXT
