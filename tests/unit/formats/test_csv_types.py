"""Which type a CSV column has: one fact a line."""

from __future__ import annotations

import pytest

from tests.support.laid_out import laid_out


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
