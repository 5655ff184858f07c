"""CSV read block by block: wherever blocks end, the table is the one of a single block, by the rules as written."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from session_datasets.domain.limits import MIB
from session_datasets.domain.profile import NO_HINTS, ReadingHints
from session_datasets.formats.csv import first_pass as csv_first_pass
from session_datasets.formats.csv.blocks import Ragged, Source, text_blocks
from session_datasets.formats.csv.dialect import Dialect
from session_datasets.formats.csv.quotes import QuoteWatch
from session_datasets.formats.csv.table import CsvFile, open_csv
from session_datasets.formats.text.numbers import Spans, double_says, exact_doubles, exact_integers
from session_datasets.formats.text.spool import Spool

SMALL_BLOCK = 96


def table_of(
    text: bytes | str, block_bytes: int | None = None, hints: ReadingHints = NO_HINTS, dialect: Dialect | None = None
) -> pa.Table:
    """All rows of a CSV, read in blocks of this size."""
    data = text.encode() if isinstance(text, str) else text
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows"
        file.write_bytes(data)
        csv = CsvFile(file, Path(folder), dialect or Dialect(), block_bytes=block_bytes)
        stream = open_csv(csv, columns_max=10_000, bytes_max=MIB, hints=hints)
        return pa.Table.from_batches(list(stream.batches), stream.schema)


# --- the rules, written once more, value by value ---------------------------------------------------------

NUMBER = re.compile(r"-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
NOT_FINITE = re.compile(r"NaN|nan|-?(?:inf|Inf|Infinity)")
DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
TIMESTAMP = DATE + r"[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.([0-9]{1,9}))?)?"
ZONE = r"(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?)"


def is_integer(text: str) -> bool:
    return re.fullmatch(r"0|-?[1-9][0-9]*", text) is not None and -(2**63) <= int(text) < 2**63


def is_double(text: str) -> bool:
    return NOT_FINITE.fullmatch(text) is not None or (NUMBER.fullmatch(text) is not None and double_says(text))


def exists(text: str, type_: pa.DataType) -> bool:
    try:
        pa.array([text]).cast(type_)
    except pa.ArrowInvalid:
        return False
    return True


def timestamps(values: Sequence[str], zone: str | None) -> pa.DataType | None:
    found = [re.fullmatch(TIMESTAMP + (ZONE if zone else ""), text) for text in values]
    if not all(found):
        return None
    digits = max(len(match[1] or "") for match in found if match)
    unit = "ns" if digits > 6 else "us" if digits > 3 else "ms"
    if unit == "ns" and not all("1678" <= text[:4] <= "2261" for text in values):
        return None
    type_ = pa.timestamp(unit, zone)
    return type_ if all(exists(text, type_) for text in values) else None


def type_by_the_rules(fields: Sequence[str | None]) -> pa.DataType:
    """Of fields as a parser gives them: None is empty, ``""`` is quoted and empty."""
    values = [field for field in fields if field]
    if not values:
        return pa.string()
    for spelling in (("true", "false"), ("True", "False"), ("TRUE", "FALSE")):
        if set(values) <= set(spelling):
            return pa.bool_()
    if all(map(is_integer, values)):
        return pa.int64()
    if all(map(is_double, values)) and any(re.search(r"\.|[eE][+-]", v) for v in values if NUMBER.fullmatch(v)):
        return pa.float64()
    if all(re.fullmatch(DATE, value) and exists(value, pa.date32()) for value in values):
        return pa.date32()
    return timestamps(values, None) or timestamps(values, "UTC") or pa.string()


def value_by_the_rules(field: str | None, type_: pa.DataType) -> Any:
    if field is None or (field == "" and type_ != pa.string()):
        return None
    if type_ == pa.bool_():
        return field.lower() == "true"
    return pa.scalar(field).cast(type_)


# --- columns at the borders of the rules --------------------------------------------------------------------

KINDS: dict[str, Sequence[str]] = {
    "integers": ("0", "7", "-12", "123456", "9223372036854775807", "-9223372036854775808", "9007199254740992"),
    "odd integers": ("007", "+7", "-0", "00", "0x1F", "9223372036854775808", "9007199254740993", "-", "1 ", "٣"),
    "doubles": ("1.5", "-0.25", ".5", "-.5", "0.1", "350.70", "0.30000000000000004", "19.986485661922433", "0.0"),
    "odd doubles": ("1.", "01.5", "+1.5", "0.1234567890123456789", "-.", ".", "00.5", "-01.5", "1.5.2", "1,5"),
    "exponents": ("1e5", "12E7", "1.5e-7", "1e-05", "1.5e400", "1.5e-400", "1.000000000000000056e-01", "1e+22"),
    "not finite": ("nan", "NaN", "inf", "-inf", "Infinity", "INF", "-nan", "NAN"),
    "booleans": ("true", "false"),
    "odd booleans": ("True", "FALSE", "yes", "1", "tRUE"),
    "dates": ("2024-02-29", "0001-01-01", "9999-12-31"),
    "odd dates": ("2023-02-29", "2024-1-1", "20240101", "24-01-01", "2024/01/01"),
    "times": ("2024-02-29T12:00:00", "2024-02-29 12:00", "1999-12-31T23:59:59.123", "3000-01-01T00:00:00"),
    "fine times": ("2024-02-29T12:00:00.1234", "2024-02-29T12:00:00.1234567", "2024-02-29T12:00:00.123456789"),
    "odd times": ("2024-02-29T24:00:00", "2024-02-29T12", "2024-02-29t12:00", "12:30:00", "2024-02-29T12:00:00."),
    "zoned": ("2024-02-29T12:00:00Z", "2024-02-29T12:00:00+02:00", "2024-02-29T12:00-0330", "2024-02-29 12:00:00.5Z"),
    "odd zoned": ("2024-02-29T12Z", "2024-02-29T12+02:00", "2024-02-29T12:00:00 Z", "1677-12-31T23:00:00-02:00"),
    "texts": ("word", "NA", "ä", "null", "x,y", 'say "hi"', "two\nlines", "\r\n"),
    "nothing": ("",),
}
FIELDS = st.one_of(*(st.sampled_from(values) for values in KINDS.values()), st.none())


@st.composite
def columns(draw: st.DrawFn) -> list[str | None]:
    """Mostly of one kind, with nulls, and perhaps a few values of others at any place."""
    kind = draw(st.sampled_from(sorted(KINDS)))
    fields = draw(st.lists(st.sampled_from(KINDS[kind]) | st.none(), max_size=40))
    for _ in range(draw(st.integers(0, 2))):
        fields.insert(draw(st.integers(0, len(fields))), draw(FIELDS))
    return fields


def written(field: str | None, quoted: bool) -> str:
    if field is None:
        return ""
    if quoted or not field or any(character in field for character in ',"\r\n'):
        return '"' + field.replace('"', '""') + '"'
    return field


def csv_of(fields: Sequence[str | None], quoted: bool = False, line_end: str = "\n") -> str:
    return line_end.join(["value,other", *(f"{written(field, quoted)},x" for field in fields), ""])


@settings(max_examples=150, deadline=None)
@given(fields=columns(), block_bytes=st.integers(80, 400), quoted=st.booleans())
@example(fields=["1"] * 50 + ["1.5"], block_bytes=SMALL_BLOCK, quoted=False)
@example(fields=["1.50"] * 50 + ["x"], block_bytes=SMALL_BLOCK, quoted=False)
@example(fields=["1e5"] * 50 + ["1.5"] * 50 + ["x"], block_bytes=SMALL_BLOCK, quoted=True)
@example(fields=["", None] * 20 + ["7"] * 20, block_bytes=SMALL_BLOCK, quoted=False)
@example(fields=["7", "", None] * 20 + ["x"], block_bytes=SMALL_BLOCK, quoted=False)
@example(fields=[None] * 50 + ["true"] * 20 + ["True"], block_bytes=SMALL_BLOCK, quoted=False)
@example(fields=["0xFFFFFFFFFFFFFFF", "007"], block_bytes=SMALL_BLOCK, quoted=False)
@example(fields=["2024-02-29T12:00"] * 20 + ["2024-02-29T12:00:00.1234567"], block_bytes=SMALL_BLOCK, quoted=False)
def test_types_and_values_are_those_of_the_rules_wherever_blocks_end(
    fields: list[str | None], block_bytes: int, quoted: bool
) -> None:
    text = csv_of(fields, quoted)
    table = table_of(text, block_bytes)
    type_ = type_by_the_rules(fields)
    assert table.schema.field("value").type == type_
    expected = pa.array([value_by_the_rules(field, type_) for field in fields], type_)
    found = table["value"].combine_chunks()
    assert pa.Table.from_arrays([found], ["v"]).equals(pa.Table.from_arrays([expected], ["v"])) or (
        found.to_pylist().__repr__() == expected.to_pylist().__repr__()
    )
    assert table_of(text).schema == table.schema


@settings(max_examples=50, deadline=None)
@given(
    rows=st.lists(st.lists(st.sampled_from(["1", "x", "a,b", 'say "hi"', "two\nlines", ""]), min_size=1, max_size=5)),
    block_bytes=st.integers(120, 400),
)
def test_rows_that_do_not_fit_stay_in_their_places_wherever_blocks_end(rows: list[list[str]], block_bytes: int) -> None:
    fitting = [["7", "8", "9"]] * (10 * len(rows) + 1)
    mixed = [row for row in rows if row != [""]] + fitting
    mixed = mixed[::2] + mixed[1::2]
    text = "a,b,c\n" + "".join(",".join(written(field or None, False) for field in row) + "\n" for row in mixed)
    table = table_of(text, block_bytes)
    found = [[row[name] for name in table.schema.names] for row in table.to_pylist()]
    for expected, row in zip(mixed, found, strict=True):
        padded = [field or None for field in expected[:3]] + [None] * (3 - len(expected))
        assert [None if value is None else str(value) for value in row[:3]] == padded
        surplus = ",".join(written(field or None, False) for field in expected[3:]) if len(expected) > 3 else None
        assert (row[3] if len(row) > 3 else None) == surplus


@pytest.mark.parametrize("block_bytes", range(100, 108))
@pytest.mark.parametrize("value", ["\r\n", "\n", "\r", "\n\r", "\r\r\n"], ids=repr)
def test_line_ends_inside_quotes_are_kept_wherever_blocks_end(value: str, block_bytes: int) -> None:
    text = "a,b\r\n" + f'"x{value}","{value}"\r\n' * 200
    assert table_of(text, block_bytes).to_pydict() == {"a": [f"x{value}"] * 200, "b": [value] * 200}


@settings(max_examples=300, deadline=None)
@given(text=st.text(st.sampled_from('",\nx'), max_size=30), cuts=st.lists(st.integers(0, 30), max_size=4))
@example(text='xxx"""x', cuts=[5, 6])
def test_quotes_are_watched_alike_however_the_bytes_come_in_pieces(text: str, cuts: list[int]) -> None:
    data = text.encode()
    ends = sorted({min(cut, len(data)) for cut in cuts} | {len(data)})
    pieces = [data[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]
    watch = QuoteWatch(",")
    for piece in [*pieces, b"\n"]:
        watch.see(piece)
    assert (watch.broken, watch.open_at) == quotes_read(text + "\n")


def quotes_read(text: str) -> tuple[int, int | None]:
    """Closing quotes before anything but a delimiter or a line end, and the place of the one that never closes, by
    reading character by character."""
    broken, opened, state = 0, 0, "start"
    for place, (here, after) in enumerate(zip(text, text[1:] + "\n", strict=True)):
        if state == "doubled":
            state = "quoted"
        elif state == "quoted":
            if here == '"':
                state = "doubled" if after == '"' else "field"
                broken += after not in '",\n'
        elif here in ",\n":
            state = "start"
        else:
            opened = place if here == '"' and state == "start" else opened
            state = "quoted" if here == '"' and state == "start" else "field"
    return broken, opened if state in ("quoted", "doubled") else None


DIGITS = st.text("0123456789", min_size=12, max_size=19)


@settings(max_examples=500, deadline=None)
@given(
    texts=st.lists(
        st.builds(lambda sign, whole, part: f"{sign}{int(whole)}.{part}", st.sampled_from(["", "-"]), DIGITS, DIGITS)
        | st.floats(1e-4, 1e15).map(repr)
        | st.floats(-1, 1).map(lambda number: f"{number:.17f}")
        | st.integers(0, 17).map(lambda place: "0." + "0" * place + "1" + "0" * (17 - place)),
        min_size=1,
        max_size=5,
    )
)
@example(texts=["0.3000000000000000", "0.30000000000000004", "0.10000000000000001"])
def test_numbers_of_many_digits_are_doubles_exactly_where_each_of_them_is(texts: list[str]) -> None:
    column = pa.array(texts)
    assert (exact_doubles(column, Spans(column)) is not None) == all(double_says(text) for text in texts)


@settings(max_examples=300, deadline=None)
@given(numbers=st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-1000, 1000), min_size=1), zeros=st.booleans())
def test_integers_are_taken_exactly_where_each_prints_back(numbers: list[int], zeros: bool) -> None:
    texts = pa.array([*map(str, numbers), "007" if zeros else "7"])
    found = exact_integers(texts, Spans(texts))
    assert (None if found is None else found.values.to_pylist()) == (None if zeros else [*numbers, 7])


def test_a_spool_gives_back_batches_of_changing_types_in_order(tmp_path: Path) -> None:
    written_batches = [
        pa.record_batch({"a": pa.array(values, type_)})
        for values, type_ in (([1, 2], pa.int64()), ([3], pa.int64()), (["x"], pa.string()), ([None], pa.null()))
    ]
    spool = Spool(tmp_path)
    for batch in written_batches:
        spool.write(batch, text_bytes=1_000)
    spool.close()
    assert list(spool.read()) == written_batches
    assert list(tmp_path.iterdir()) == []


def test_a_spool_compresses_what_takes_more_than_its_text(tmp_path: Path) -> None:
    batch = pa.record_batch({"a": pa.array([1] * 10_000)})
    spool = Spool(tmp_path)
    spool.write(batch, text_bytes=20_000)
    spool.close()
    assert next(tmp_path.iterdir()).stat().st_size < 20_000
    assert list(spool.read()) == [batch]


def test_only_columns_whose_texts_are_lost_are_parsed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Sequence[int] | None] = []

    def counted(source: Source, ragged: Ragged, places: Sequence[int] | None = None, **more: Any) -> Any:
        asked.append(places)
        return text_blocks(source, ragged, places, **more)

    monkeypatch.setattr(csv_first_pass, "text_blocks", counted)
    clean = "i,d,b,t\n" + "1,1.50,true,2024-01-01\n" * 50
    assert table_of(clean, SMALL_BLOCK).num_rows == 50
    table = table_of(clean + "x,2.5,no,soon\n", SMALL_BLOCK)
    assert (asked, table.schema.types[1]) == ([None, None], pa.float64())
    table = table_of(clean + "1,x,true,2024-01-01\n", SMALL_BLOCK)
    assert (asked[2:], table["d"][0].as_py(), table["d"][50].as_py()) == ([None, [1]], "1.50", "x")


@settings(max_examples=40, deadline=None)
@given(columns=st.lists(columns(), min_size=2, max_size=4), block_bytes=st.integers(160, 600))
def test_columns_of_numbers_seen_together_are_what_each_is_alone(
    columns: list[list[str | None]], block_bytes: int
) -> None:
    rows = list(zip_longest(*columns, ["1"] * 40, ["1.5"] * 40))
    text = "\n".join([",".join(f"n{place}" for place in range(len(columns) + 2))] + [
        ",".join(written(field, False) for field in row) for row in rows if any(field is not None for field in row)
    ])  # fmt: skip
    alone = table_of(text, block_bytes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_first_pass, "_TOGETHER_COLUMNS_MIN", 1)
        together = table_of(text, block_bytes)
    assert together.schema == alone.schema
    assert repr(together.to_pylist()) == repr(alone.to_pylist())
