"""What the service measures of a file: its format, kind, shape, schema, statistics and preview."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

# A value that JSON can carry without loss; cells.py states how every Arrow type becomes one.
JsonValue = Any


class Format(StrEnum):
    """Decided from the bytes of a file, never from its name."""

    CSV = "csv"
    JSON = "json"
    JSON_LINES = "json_lines"
    PARQUET = "parquet"
    ARROW = "arrow"
    NPY = "npy"
    EXCEL = "excel"
    OTHER = "other"


class Kind(StrEnum):
    """What the rows mean to their reader; declared by the producer, or TABLE / OTHER by what can be paged."""

    TABLE = "table"
    SERIES = "series"
    DOCUMENT = "document"
    OTHER = "other"


class Encoding(StrEnum):
    """How the values of a column travel in JSON where plain JSON would change them."""

    # Every value is the decimal text of an integer or decimal number.
    NUMBER_TEXT = "number_text"
    # Numbers, with NaN, Infinity and -Infinity as these texts.
    NUMBER_OR_TEXT = "number_or_text"
    # Dates, times, timestamps and durations in ISO 8601, at the column's full precision.
    ISO_8601 = "iso_8601"
    BASE64 = "base64"
    # Objects and arrays whose leaves follow the rules above.
    NESTED = "nested"


@dataclass(frozen=True, slots=True)
class Column:
    """``type`` is Arrow's own spelling, e.g. ``int64``, ``string``, ``timestamp[us, tz=UTC]``."""

    name: str
    type: str
    encoding: Encoding | None = None


@dataclass(frozen=True, slots=True)
class Shape:
    rows: int
    columns: int


class Order(StrEnum):
    """Whether a column's values only grow, or only fall, from its first row to its last; nulls and NaN break both."""

    ASCENDING = "ascending"
    DESCENDING = "descending"
    UNSORTED = "unsorted"


@dataclass(frozen=True, slots=True)
class ColumnStatistics:
    """Counts are rows. ``min``, ``max`` and ``mean`` ignore nulls and NaN and are absent where they mean nothing;
    they are encoded like the column's cells, texts cut for display.

    ``distinct`` counts the different values, null and NaN aside: exactly, unless ``distinct_estimated``. ``length_min``
    and ``length_max`` are characters of texts and bytes of binaries. ``bytes_per_row`` is what the column adds to a
    page: the mean bytes of JSON of its cells. ``order`` is None where values have none. ``rule`` names the rule of
    docs/typing.md that decided the column's type.
    """

    nulls: int
    nans: int = 0
    min: JsonValue = None
    max: JsonValue = None
    mean: float | None = None
    distinct: int | None = None
    distinct_estimated: bool = False
    length_min: int | None = None
    length_max: int | None = None
    bytes_per_row: float | None = None
    order: Order | None = None
    rule: str | None = None


@dataclass(frozen=True, slots=True)
class Preview:
    """The head of a dataset for display. ``clipped`` says that at least one cell was shortened."""

    rows: tuple[tuple[JsonValue, ...], ...]
    clipped: bool = False


@dataclass(frozen=True, slots=True)
class Profile:
    """Measured by the service. ``columns``, ``statistics`` and ``preview`` cover the same leading columns.

    ``columns_omitted`` counts the columns that a size rule left out here; the whole profile is a derived
    object, which describe_artifact reads. ``reading`` says how the bytes became rows, in the words of
    docs/typing.md: ``encoding``, ``compression``, ``delimiter``, ``line_end``, ``ragged_rows``, ``sheet`` …
    """

    shape: Shape
    columns: tuple[Column, ...]
    statistics: tuple[ColumnStatistics, ...]
    preview: Preview
    columns_omitted: int = 0
    reading: Mapping[str, JsonValue] = field(default_factory=dict)

    def first_columns(self, count: int) -> Profile:
        """The same profile, told of the first ``count`` columns only."""
        omitted = self.columns_omitted + len(self.columns) - min(count, len(self.columns))
        return Profile(
            shape=self.shape,
            columns=self.columns[:count],
            statistics=self.statistics[:count],
            preview=Preview(tuple(row[:count] for row in self.preview.rows), self.preview.clipped),
            columns_omitted=omitted,
            reading=self.reading,
        )


@dataclass(frozen=True, slots=True)
class ReadingHints:
    """What a caller says of a file before it is read; a value that does not fit its hint is refused, never bent.

    ``types``: column name to ``string``, ``bool``, ``int64``, ``double``, ``decimal(p,s)``, ``date``, ``timestamp``;
    the other columns are decided by the rules. ``nulls``: texts that mean no value, beside the empty field.
    ``delimiter``, ``encoding`` and ``sheet`` are detected or the first when None.
    """

    types: Mapping[str, str] = field(default_factory=dict)
    nulls: tuple[str, ...] = ()
    delimiter: str | None = None
    encoding: str | None = None
    sheet: str | None = None


NO_HINTS = ReadingHints()


class Role(StrEnum):
    """What a derived object is for; each artifact has at most one of each."""

    # Independent segments of consecutive rows, then the directory that finds them.
    ROWS = "rows"
    # One ordinary Parquet file, for whoever reads few columns of many rows.
    COLUMNS = "columns"
    # Smallest and largest of every 64 rows and of ever more, for charts of long windows.
    PYRAMID = "pyramid"


@dataclass(frozen=True, slots=True)
class DerivedObject:
    """One version of one object that the service wrote. ``size`` in bytes."""

    key: str
    version_id: str
    size: int


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the rows lie for reading, and how: opaque to all but the room that wrote it.

    ``parameters`` are JSON values that the layout named ``name`` needs to find any row with few requests.
    """

    name: str
    objects: Mapping[Role, DerivedObject]
    parameters: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LaidOutTable:
    """A file as the tables room understood it.

    ``layout_name`` says how its rows were written to the sinks; None, with a ``note``, when they can not be paged.
    """

    format: Format
    profile: Profile | None = None
    layout_name: str | None = None
    layout_parameters: Mapping[str, JsonValue] = field(default_factory=dict)
    note: str | None = None
