"""Which type a CSV column has: one fact a line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from session_datasets.domain.errors import ProblemCode
from session_datasets.domain.profile import ReadingHints
from session_datasets.formats.csv.times import Dates, Timestamps
from session_datasets.formats.csv.types import Booleans, Candidate, Doubles, Integers
from session_datasets.formats.text.numbers import Spans
from session_datasets.formats.text.rules import TextRule
from tests.support.laid_out import laid_out, problem_of


def type_of(*values: str) -> str:
    """The type of a column with these fields, written as they stand."""
    return laid_out("value,\n" + "".join(f"{value},\n" for value in values)).types["value"]


@pytest.mark.parametrize(
    ("values", "type_"),
    [
        (("1", "-7", "0"), "int64"),
        (("9223372036854775807", "-9223372036854775808"), "int64"),
        (("9223372036854775808",), "string"),
        (("1", "007"), "string"),
        (("1", "+7"), "string"),
        (("1", "-0"), "string"),
        (("1", " 7"), "string"),
        (("1", "NA"), "string"),
        (("1", "", "3"), "int64"),
        (("1", "2.5"), "double"),
        (("9007199254740992", "2.5"), "double"),
        (("9007199254740993", "2.5"), "string"),
        (("9007199254740994", "2.5"), "string"),
        (("0.1", ".5", "-.5", "-0.25"), "double"),
        (("01.5", "2.5"), "string"),
        (("1.", "2.5"), "string"),
        (("1.5e-7", "1e5"), "double"),
        (("1e5", "12E7"), "string"),
        (("1e5", "3"), "string"),
        (("1e-05", "2"), "double"),
        (("0.30000000000000004",), "double"),
        (("1.000000000000000056e-01",), "double"),
        (("1.0000000000000000e-5", "0.30000000000000000000"), "double"),
        (("0.1234567890123456789",), "string"),
        (("1.5e400",), "string"),
        (("1.5e-400",), "string"),
        (("1.5", "nan", "NaN", "inf", "-Infinity"), "double"),
        (("nan", "inf"), "string"),
        (("1,5".replace(",", "·"),), "string"),
        (("true", "false"), "bool"),
        (("True", "False", ""), "bool"),
        (("TRUE",), "bool"),
        (("true", "False"), "string"),
        (("true", "0"), "string"),
        (("2024-02-29", "0001-01-01"), "date32[day]"),
        (("2023-02-29",), "string"),
        (("2024-1-1",), "string"),
        (("2024-02-29T12:00:00", "2024-02-29 12:00"), "timestamp[ms]"),
        (("2024-02-29T12:00:00.1234",), "timestamp[us]"),
        (("2024-02-29T12:00:00.1234567",), "timestamp[ns]"),
        (("2024-02-29T12:00:00.1234567", "3000-01-01T00:00:00"), "string"),
        (("3000-01-01T00:00:00", "2024-02-29T12:00:00.1234567"), "string"),
        (("2024-02-29T12:00:00Z", "2024-02-29T12:00:00+02:00"), "timestamp[ms, tz=UTC]"),
        (("2024-02-29T12:00:00Z", "2024-02-29T12:00:00"), "string"),
        (("2024-02-29T24:00:00",), "string"),
        (("2024-02-29", "2024-02-29T12:00:00"), "string"),
        (("12:30:00",), "string"),
        (("", ""), "string"),
        ((), "string"),
    ],
)
def test_the_type_of_a_column_follows_from_all_its_fields(values: tuple[str, ...], type_: str) -> None:
    assert type_of(*values) == type_


def test_fields_of_a_text_column_stay_as_they_were_written() -> None:
    assert laid_out("a,b\n007,x\n+1,NA\n 2,-0\n").rows == [["007", "x"], ["+1", "NA"], [" 2", "-0"]]


def test_an_offset_becomes_utc() -> None:
    assert laid_out("t,\n2024-01-01T00:30:00+02:00,\n").column("t") == ["2023-12-31T22:30:00.000Z"]


def test_integers_beside_fractions_become_doubles_of_the_same_value() -> None:
    assert laid_out("a,\n1,\n2.5,\n").column("a") == [1.0, 2.5]


def test_a_word_in_the_last_of_600001_rows_makes_the_column_text() -> None:
    dataset = laid_out("a,b\n" + "1,2\n" * 600_000 + "007,2.5\n")
    assert dataset.types == {"a": "string", "b": "double"}
    assert dataset.page(600_000).rows == [["007", 2.5]]
    assert dataset.page(0, 1).rows == [["1", 2.0]]


def test_a_quoted_empty_field_of_a_text_column_is_an_empty_text_and_an_unquoted_one_null() -> None:
    assert laid_out('a,b\n"",x\n,y\nz,z\n').column("a") == ["", None, "z"]


def test_a_quoted_empty_field_among_numbers_is_null_and_said_to_be() -> None:
    dataset = laid_out('a,b\n"1","x"\n"","y"\n')
    assert (dataset.types["a"], dataset.column("a")) == ("int64", [1, None])
    assert dataset.table.note == "Quoted empty fields were read as null in 'a'."


def test_a_column_of_quoted_empty_fields_only_is_text() -> None:
    dataset = laid_out('a,b\n"",x\n"",y\n')
    assert (dataset.types["a"], dataset.column("a"), dataset.table.note) == ("string", ["", ""], None)


@pytest.mark.parametrize(
    ("values", "rule"),
    [
        (("1", "2"), "all integers"),
        (("1", "2.5"), "all numbers"),
        (("true",), "all true or false"),
        (("2024-01-01",), "all dates"),
        (("2024-01-01 12:00",), "all timestamps"),
        (("2024-01-01 12:00Z",), "all timestamps with a zone"),
        (("1", "007"), "leading zero or plus kept as text"),
        (("+49",), "leading zero or plus kept as text"),
        (("9223372036854775808",), "integer beyond 64 bits kept as text"),
        (("1.5", "0.1234567890123456789"), "digits beyond a double kept as text"),
        (("1e5", "12E7"), "exponents alone kept as text"),
        (("true", "1"), "mixed: text"),
        (("2024-01-01", "2024-01-01 12:00"), "mixed: text"),
        (("1", "NA"), "text"),
        (("word",), "text"),
        (("", ""), "no values: text"),
    ],
)
def test_the_rule_that_decided_is_named(values: tuple[str, ...], rule: str) -> None:
    dataset = laid_out("value,\n" + "".join(f"{value},\n" for value in values))
    assert dataset.profile.statistics[0].rule == rule


def test_the_rules_of_hints_and_surplus_fields_are_named() -> None:
    dataset = laid_out("a,b\n1,2\n3,4,5\n", hints=ReadingHints(types={"a": "double"}))
    assert [column.rule for column in dataset.profile.statistics] == ["hint", "all integers", "surplus fields"]


@pytest.mark.parametrize("rule", [rule.value for rule in TextRule])
def test_every_rule_is_explained_in_the_document(rule: str) -> None:
    document = Path(__file__).parents[3] / "docs" / "typing.md"
    assert f"| `{rule}` |" in document.read_text()


@pytest.mark.parametrize(
    ("hint", "written", "type_", "cells"),
    [
        ("string", ["7", "007"], "string", ["7", "007"]),
        ("int64", ["7", "007"], "int64", [7, 7]),
        ("double", ["7", "+0.1", "007.50", "1.", "1e5", "-INF"], "double", [7.0, 0.1, 7.5, 1.0, 1e5, "-Infinity"]),
        ("double", ["0.30000000000000004", "1.000000000000000056e-01", "9007199254740994"], "double",
         [0.30000000000000004, 0.1, 9007199254740994.0]),
        ("double", ["+1.0000000000000000e-5", "0.30000000000000000000", "+.000", "-0.0e5"], "double",
         [1e-5, 0.3, 0.0, -0.0]),
        ("decimal(6,2)", ["7", "1234.5", "1.500", "15e-1"], "decimal128(6, 2)", ["7.00", "1234.50", "1.50", "1.50"]),
        ("bool", ["1", "FALSE"], "bool", [True, False]),
        ("date", ["2024-02-29"], "date32[day]", ["2024-02-29"]),
        ("timestamp", ["2024-02-29", "2024-02-29T12:00"], "timestamp[us]",
         ["2024-02-29T00:00:00.000000", "2024-02-29T12:00:00.000000"]),
        ("timestamp", ["2024-02-29T12:00:00.1234567Z"], "timestamp[ns, tz=UTC]", ["2024-02-29T12:00:00.123456700Z"]),
    ],
)  # fmt: skip
def test_a_hinted_type_binds(hint: str, written: list[str], type_: str, cells: list[Any]) -> None:
    dataset = laid_out("a,b\n" + "".join(f"{text},x\n" for text in written), hints=ReadingHints(types={"a": hint}))
    assert (dataset.types["a"], dataset.column("a")) == (type_, cells)


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        ("int64", "1.5"), ("int64", "x"), ("int64", "0x1F"), ("int64", "9223372036854775808"), ("double", "1e400"),
        ("double", "1e-400"), ("double", "0.1234567890123456789"), ("double", "9007199254740993"), ("double", "nan(7)"),
        ("double", "10000000000000000000000000"), ("double", "9007199254740993.00"),
        ("decimal(38,37)", "928"), ("decimal(3,1)", "-0.119458176668742034679238418236296394752878e1"),
        ("double", "1,5"), ("decimal(3,1)", "1.55"), ("decimal(3,1)", "123.4"), ("bool", "yes"), ("date", "2023-02-29"),
        ("timestamp", "noon"), ("timestamp", "2024-01-01T12:00:00Z"),
    ],
)  # fmt: skip
def test_a_value_that_does_not_fit_its_hint_is_refused_with_its_place(hint: str, value: str) -> None:
    good = {"bool": "true", "date": "2024-01-01", "timestamp": "2024-01-01T12:00:00"}.get(hint, "1")
    text = "b,a\n\n" + f"x,{good}\n" * 30 + f'x,"{value}"\n' + f"x,{good}\n" * 30
    problem = problem_of(text, "rows", hints=ReadingHints(types={"a": hint}))
    assert problem.code is ProblemCode.UNREADABLE_FILE
    assert problem.detail == (
        f"Column 'a' is hinted as {hint}, and row 32 has {value!r} there "
        "(the header is row 1; blank lines do not count)."
    )
    assert "hint the column as string" in problem.advice


def test_a_long_value_that_does_not_fit_is_told_cut() -> None:
    problem = problem_of("a,b\n" + "x" * 200 + ",1\n", hints=ReadingHints(types={"a": "int64"}))
    assert f"'{'x' * 60}…'" in problem.detail


def test_a_hint_for_a_column_that_is_not_there_is_refused_with_near_names() -> None:
    problem = problem_of("amount,b\n1,2\n", hints=ReadingHints(types={"amuont": "int64"}))
    assert (problem.code, problem.did_you_mean) == (ProblemCode.UNKNOWN_COLUMN, ("amount",))


@pytest.mark.parametrize("hint", ["integer", "decimal(0,0)", "decimal(39,1)", "decimal(3,4)", "decimal"])
def test_a_hint_of_no_known_type_is_refused(hint: str) -> None:
    assert problem_of("a,b\n1,2\n", hints=ReadingHints(types={"a": hint})).code is ProblemCode.INVALID_REQUEST


def test_hinted_nulls_mean_no_value_quoted_or_not_but_for_columns_hinted_as_string() -> None:
    dataset = laid_out(
        'a,b,c\n1,x,NA\n"NA",NA,-\n-,z,w\n', hints=ReadingHints(types={"c": "string"}, nulls=("NA", "-"))
    )
    assert dataset.types == {"a": "int64", "b": "string", "c": "string"}
    assert dataset.rows == [[1, "x", "NA"], [None, None, "-"], [None, "z", "w"]]
    assert dataset.profile.reading["nulls"] == ["NA", "-"]


def test_hinted_nulls_stay_null_in_a_column_that_is_parsed_again() -> None:
    text = "a,b\n" + "1.50,x\nNA,x\n" * 3_000 + "word,x\n"
    dataset = laid_out(text, hints=ReadingHints(nulls=("NA",)))
    assert dataset.column("a")[:2] == ["1.50", None]


def test_a_quoted_empty_field_of_a_hinted_column_is_null_and_of_one_hinted_as_string_a_text() -> None:
    hints = ReadingHints(types={"a": "int64", "b": "string"})
    assert laid_out('a,b\n1,x\n"",""\n', hints=hints).rows == [[1, "x"], [None, ""]]


@pytest.mark.parametrize("text", [
    "true", "FALSE", "-7", "9223372036854775807", "-.5", ".5", "1.5e-7", "nan", "NaN", "-inf", "Infinity", "2024-02-29",
    "2024-02-29 12:00", "2024-02-29T12:00:00.123456789", "2024-02-29T12:00Z", "2024-02-29 12:00:00+02:00",
])  # fmt: skip
def test_the_looks_of_a_text_never_rule_out_a_type_that_takes_it(text: str) -> None:
    values = pa.array([text])
    candidates: list[Candidate] = [Booleans(), Integers(), Doubles(), Dates(), Timestamps(None), Timestamps("UTC")]
    taking = [each for each in candidates if each.accepts(values, Spans(values)) is not None]
    assert taking
    assert all(each.may_accept(text) for each in taking)
