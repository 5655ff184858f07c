"""How the values of every Arrow type become JSON without loss, and how a column says so.

==================================  ===============================================  ==================
Arrow                               JSON                                             Encoding
==================================  ===============================================  ==================
null, bool, (large_)string          null, true/false, text                           none
int8..int32, uint8..uint32          number                                           none
int64, uint64                       number if the whole column lies within +-2^53    none
int64, uint64 otherwise             decimal text, the whole column                   NUMBER_TEXT
decimal                             decimal text, all digits of its scale            NUMBER_TEXT
double, float, halffloat            number; shortest that rounds to the same value   none
the same with NaN or an infinity    number, or "NaN", "Infinity", "-Infinity"        NUMBER_OR_TEXT
date                                2024-02-29                                       ISO_8601
time                                12:00:00.000001                                  ISO_8601
timestamp without a zone            2024-02-29T12:00:00.000001                       ISO_8601
timestamp with a zone               the same instant in UTC, ending in Z             ISO_8601
duration                            PT1.500S, -PT0.001S                              ISO_8601
(large_/fixed_size_)binary          base64                                           BASE64
struct, list, map                   object, array, array of [key, value]             NESTED
==================================  ===============================================  ==================

Leaves of nested values follow the same rules; one integer beyond 2^53 anywhere in a nested column makes all its
64-bit integers texts. Fractions of seconds have all digits of the type's unit; years beyond 9999 and before 0000
carry their sign (+10000-01-01). No zone database is needed.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import isfinite, isnan

import pyarrow as pa
import pyarrow.types as kind

from session_datasets.domain.profile import Encoding, JsonValue
from session_datasets.formats.values.kernels import call, cast, first_bytes, first_characters, first_items
from session_datasets.formats.values.nested import entries, is_binary, is_nested, is_text
from session_datasets.formats.values.times import spelled


def is_wide_integer(type_: pa.DataType) -> bool:
    return bool(kind.is_int64(type_) or kind.is_uint64(type_))


def is_number(type_: pa.DataType) -> bool:
    """Numbers one can plot and average; truth values are none."""
    return bool(kind.is_integer(type_) or kind.is_floating(type_) or kind.is_decimal(type_))


def is_temporal(type_: pa.DataType) -> bool:
    return bool(kind.is_date(type_) or kind.is_time(type_) or kind.is_timestamp(type_) or kind.is_duration(type_))


@dataclass(frozen=True, slots=True)
class CellRules:
    """How one column is spelled on every page of its dataset, fixed when the dataset was measured.

    ``exact``: all its 64-bit integers lie within +-2^53. ``finite``: no NaN or infinity at the top level.
    """

    type: pa.DataType
    exact: bool = True
    finite: bool = True

    @property
    def encoding(self) -> Encoding | None:
        if is_nested(self.type):
            return Encoding.NESTED
        if kind.is_decimal(self.type) or (is_wide_integer(self.type) and not self.exact):
            return Encoding.NUMBER_TEXT
        if kind.is_floating(self.type):
            return None if self.finite else Encoding.NUMBER_OR_TEXT
        if is_temporal(self.type):
            return Encoding.ISO_8601
        return Encoding.BASE64 if is_binary(self.type) else None

    def encode(self, values: pa.Array, most: int | None = None) -> list[JsonValue]:
        """One JSON value for each of ``values``, whose type is this column's.

        Those with more than ``most`` characters may end a little later than there, and are the same up to there.
        """
        if kind.is_float64(self.type) and self.finite:
            return values.to_pylist()  # type: ignore[no-any-return]
        return _encode(values, self.exact, most)


def encoded_rows(batch: pa.RecordBatch, rules: Sequence[CellRules], most: int | None = None) -> list[list[JsonValue]]:
    """The rows of a batch whose columns follow ``rules``; ``most`` as in ``CellRules.encode``."""
    if not rules:
        return [[] for _ in range(batch.num_rows)]
    cells = [rule.encode(values, most) for rule, values in zip(rules, batch.columns, strict=True)]
    return [list(row) for row in zip(*cells, strict=True)]


def _encode(values: pa.Array, exact: bool, most: int | None) -> list[JsonValue]:
    type_ = values.type
    if is_nested(type_):
        return _nested(values, exact, most)
    if is_wide_integer(type_) and not exact:
        return cast(values, pa.string()).to_pylist()  # type: ignore[no-any-return]
    if kind.is_floating(type_):
        return _floats(values)
    if kind.is_decimal(type_):
        return _decimals(values)
    if is_temporal(type_):
        return [*spelled(values)]
    if is_binary(type_):
        return _each(_first_bytes(values, most), lambda data: base64.b64encode(data).decode("ascii"))
    if is_text(type_) and most is not None:
        values = first_characters(values, most + 1)
    return values.to_pylist()  # type: ignore[no-any-return]


def _first_bytes(values: pa.Array, most: int | None) -> pa.Array:
    """As many whole groups of three bytes, four characters each, as are longer than ``most`` characters."""
    return values if most is None else first_bytes(values, 3 * (most // 4 + 1))


def _each(values: pa.Array, spell: Callable[..., JsonValue]) -> list[JsonValue]:
    return [None if value is None else spell(value) for value in values.to_pylist()]


def _decimals(values: pa.Array) -> list[JsonValue]:
    texts: list[JsonValue] = cast(values, pa.string()).to_pylist()
    # Arrow spells what is very small or has no digits behind the point with an exponent.
    return [format(Decimal(text), "f") if text is not None and "E" in text else text for text in texts]


def _floats(values: pa.Array) -> list[JsonValue]:
    if kind.is_float64(values.type):
        numbers = values.to_pylist()
    elif kind.is_float32(values.type):
        # Arrow prints the shortest text that rounds to the same float: 0.1, where its double is 0.10000000149.
        numbers = _each(cast(values, pa.string()), float)
    else:
        numbers = cast(values, pa.float32()).to_pylist()
    if call("all", call("is_finite", values)).as_py() is not False:
        return numbers  # type: ignore[no-any-return]
    return [number if number is None or isfinite(number) else _not_finite(number) for number in numbers]


def _not_finite(number: float) -> str:
    if isnan(number):
        return "NaN"
    return "Infinity" if number > 0 else "-Infinity"


def _nested(values: pa.Array, exact: bool, most: int | None) -> list[JsonValue]:
    if kind.is_struct(values.type):
        return _structs(values, exact, most)
    if kind.is_map(values.type):
        return [
            None if pairs is None else [[pair["key"], pair["value"]] for pair in pairs]
            for pairs in _lists(entries(values), exact, most)
        ]
    return _lists(values, exact, most)


def _structs(values: pa.Array, exact: bool, most: int | None) -> list[JsonValue]:
    names = [field.name for field in values.type]
    columns = [_encode(child, exact, most) for child in values.flatten()]
    present = call("is_valid", values).to_pylist()
    rows = zip(*columns, strict=True) if columns else ((),) * len(values)
    return [dict(zip(names, row, strict=True)) if there else None for row, there in zip(rows, present, strict=True)]


def _lists(values: pa.Array, exact: bool, most: int | None) -> list[JsonValue]:
    if most is not None:  # every item takes a character at least
        values = first_items(values, most + 1)
    items = iter(_encode(values.flatten(), exact, most))
    lengths = call("list_value_length", values).to_pylist()
    return [None if length is None else [next(items) for _ in range(length)] for length in lengths]
