"""How a sheet of an Excel workbook becomes a table."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

from session_datasets.domain.errors import ProblemCode
from session_datasets.domain.profile import Format, ReadingHints
from tests.support.laid_out import laid_out, problem_of, understood
from tests.support.odd_files import zip_file
from tests.support.workbooks import DATE, DATE_TIME, DURATION, TIME, Cell, Raw, workbook

NAME = "rows.xlsx"
DAY, NOON, MORNING, LONG_DAY = (
    Raw("45000", style=DATE),
    Raw("45000.5", style=DATE_TIME),
    Raw("0.25", style=TIME),
    Raw("1.5", style=DURATION),
)


def column(*cells: Cell, **hints: Any) -> tuple[str, str | None, list[Any]]:
    """Type, rule and cells of a sheet's one column; a second one keeps rows without a value in place."""
    data = workbook({"Sheet1": [["c", "place"], *([cell, place] for place, cell in enumerate(cells))]})
    dataset = laid_out(data, NAME, ReadingHints(**hints))
    return dataset.types["c"], dataset.profile.statistics[0].rule, dataset.column("c")


@pytest.mark.parametrize(
    ("cells", "type_", "rule", "read"),
    [
        ((1, -2, None), "int64", "all integers", [1, -2, None]),
        ((1.0, 2**53), "int64", "all integers", [1, 2**53]),
        ((1, 2.5), "double", "all numbers", [1.0, 2.5]),
        ((1, 1e300), "double", "all numbers", [1.0, 1e300]),
        ((1, Raw("-0.0")), "double", "all numbers", [1.0, -0.0]),
        (("a", None), "string", "text", ["a", None]),
        (("007", "08"), "string", "text", ["007", "08"]),
        ((" a ", "b\nc"), "string", "text", [" a ", "b\nc"]),
        ((True, False, None), "bool", "all true or false", [True, False, None]),
        ((DAY, None), "date32[day]", "all dates", ["2023-03-15", None]),
        ((NOON,), "timestamp[ms]", "all timestamps", ["2023-03-15T12:00:00.000"]),
        ((DAY, NOON), "timestamp[ms]", "all timestamps", ["2023-03-15T00:00:00.000", "2023-03-15T12:00:00.000"]),
        ((MORNING,), "time32[ms]", "declared by the file", ["06:00:00.000"]),
        ((LONG_DAY,), "duration[ms]", "declared by the file", ["PT129600.000S"]),
        ((None, None), "string", "no values: text", [None, None]),
        ((1, "x", 2.5), "string", "mixed: text", ["1", "x", "2.5"]),
        ((1, True), "string", "mixed: text", ["1", "TRUE"]),
        ((DAY, NOON, 3), "string", "mixed: text", ["2023-03-15", "2023-03-15T12:00:00", "3"]),
        ((MORNING, LONG_DAY), "string", "mixed: text", ["06:00:00", "36:00:00"]),
        ((Raw("3", formula="A1+2"), 4), "int64", "all integers", [3, 4]),
        ((Raw("txt", "str", formula="A1"), "u"), "string", "text", ["txt", "u"]),
    ],
)
def test_a_column_has_the_type_of_all_its_cells(cells: Any, type_: str, rule: str, read: list[Any]) -> None:
    assert column(*cells) == (type_, rule, read)


@pytest.mark.parametrize(
    ("hint", "cells", "type_", "read"),
    [
        ("string", (1, "x", DAY), "string", ["1", "x", "2023-03-15"]),
        ("double", (1, 2), "double", [1.0, 2.0]),
        ("int64", (1, "2"), "int64", [1, 2]),
        ("bool", (True, "false", "1"), "bool", [True, False, True]),
        ("decimal(38,36)", (1.5,), "decimal128(38, 36)", ["1.500000000000000000000000000000000000"]),
        ("timestamp", ("2024-02-29", "2024-02-29T12:00"), "timestamp[us]",
         ["2024-02-29T00:00:00.000000", "2024-02-29T12:00:00.000000"]),
        ("decimal(5,2)", (1, "1.50", 0.1), "decimal128(5, 2)", ["1.00", "1.50", "0.10"]),
        ("date", (DAY, "2024-02-29", Raw("45000", style=DATE_TIME)), "date32[day]",
         ["2023-03-15", "2024-02-29", "2023-03-15"]),
        ("timestamp", (DAY, NOON), "timestamp[us]",
         ["2023-03-15T00:00:00.000000", "2023-03-15T12:00:00.000000"]),
    ],
)  # fmt: skip
def test_a_hint_decides_the_type(hint: str, cells: Any, type_: str, read: list[Any]) -> None:
    assert column(*cells, types={"c": hint}) == (type_, "hint", read)


@pytest.mark.parametrize(
    ("hint", "cell", "told"),
    [
        ("int64", 1.5, "1.5"),
        ("int64", "x", "x"),
        ("int64", 1e300, "1e+300"),
        ("bool", 1, "1"),
        ("double", True, "TRUE"),
        ("decimal(3,1)", 0.25, "0.25"),
        ("decimal(3,1)", 1000, "1000"),
        ("date", NOON, "2023-03-15T12:00:00"),
        ("timestamp", 5, "5"),
        ("int64", "1_000", "1_000"),
        ("double", "0.1234567890123456789", "0.1234567890123456789"),
        ("decimal(5,2)", "1_0", "1_0"),
        ("timestamp", "2024-01-01T00:00:00+05:00", "2024-01-01T00:00:00+05:00"),
        ("timestamp", "2024-01-01T00:00:00.1234567", "2024-01-01T00:00:00.1234567"),
        ("date", "20240229", "20240229"),
    ],
)
def test_a_cell_that_does_not_fit_its_hint_is_refused(hint: str, cell: Cell, told: str) -> None:
    data = workbook({"Sheet1": [["c"], [cell]]})
    problem = problem_of(data, NAME, ReadingHints(types={"c": hint}))
    assert (problem.code, problem.detail) == (
        ProblemCode.UNREADABLE_FILE,
        f"Column 'c' has a cell that is no {hint}: '{told}'.",
    )


def test_a_hint_for_a_column_that_is_not_there_is_refused() -> None:
    problem = problem_of(workbook({"S": [["amount"], [1]]}), NAME, ReadingHints(types={"amuont": "string"}))
    assert problem.detail == "The hints name the column 'amuont', which the file does not have."
    assert (problem.code, problem.did_you_mean) == (ProblemCode.UNKNOWN_COLUMN, ("amount",))


def test_texts_that_mean_no_value_are_null() -> None:
    assert column(1, "n/a", "-", nulls=("n/a", "-")) == ("int64", "all integers", [1, None, None])


def test_a_column_hinted_as_string_keeps_texts_that_mean_no_value_elsewhere() -> None:
    assert column("n/a", 1, nulls=("n/a",), types={"c": "string"}) == ("string", "hint", ["n/a", "1"])


def test_the_first_visible_sheet_with_cells_is_read_and_the_others_are_told() -> None:
    sheets = {"Hidden": [["h"], [0]], "Blank": [], "Data": [["a"], [1]], "More": [["b"], [2]]}
    dataset = laid_out(workbook(sheets, hidden=["Hidden"]), NAME)
    assert (dataset.types, dataset.rows) == ({"a": "int64"}, [[1]])
    assert dataset.profile.reading == {"sheet": "Data", "header_row": 1}
    assert dataset.table.note == "The rows are those of sheet 'Data'; others are 'Hidden', 'Blank', 'More'."


@pytest.mark.parametrize("sheet", ["Hidden", "More"])
def test_a_hint_names_the_sheet(sheet: str) -> None:
    sheets = {"Data": [["a"], [1]], "Hidden": [["h"], [0]], "More": [["b"], [2]]}
    dataset = laid_out(workbook(sheets, hidden=["Hidden"]), NAME, ReadingHints(sheet=sheet))
    assert dataset.profile.reading["sheet"] == sheet
    assert dataset.rows == [sheets[sheet][1]]


def test_a_sheet_that_is_not_there_is_refused_with_those_that_are() -> None:
    problem = problem_of(workbook({"Data": [["a"], [1]], "B": []}), NAME, ReadingHints(sheet="data"))
    assert problem.detail == "The workbook has no sheet 'data'; it has 'Data', 'B'."


@pytest.mark.parametrize("hints", [ReadingHints(), ReadingHints(sheet="A")])
def test_a_workbook_without_cells_is_no_table(hints: ReadingHints) -> None:
    table = understood(workbook({"A": [], "B": []}), NAME, hints)
    assert table.format is Format.OTHER
    assert (table.note or "").startswith("There is no cell in")


def test_a_header_alone_is_a_table_without_rows() -> None:
    dataset = laid_out(workbook({"A": [["a", "b"]]}), NAME)
    assert (dataset.types, dataset.profile.shape.rows) == ({"a": "string", "b": "string"}, 0)


def test_rows_and_columns_around_the_table_are_passed_over() -> None:
    rows = [[None, None, None], [None, "a", "b"], [None, 1, 2]]
    dataset = laid_out(workbook({"A": rows}), NAME)
    assert (dataset.types, dataset.rows) == ({"a": "int64", "b": "int64"}, [[1, 2]])
    assert dataset.profile.reading == {"sheet": "A", "header_row": 2}


def test_empty_rows_and_nameless_empty_columns_are_left_out_and_counted() -> None:
    rows = [["a", None, "b", None], [1, None, 2, 9], [None] * 4, [], [3, None, 4, None]]
    dataset = laid_out(workbook({"A": rows}), NAME)
    assert (list(dataset.types), dataset.rows) == (["a", "b", "column_3"], [[1, 2, 9], [3, 4, None]])
    reading = dataset.profile.reading
    assert (reading["empty_rows"], reading["empty_columns"]) == (2, 1)
    assert "Empty rows left out: 2." in (dataset.table.note or "")


def test_a_named_column_without_values_is_kept() -> None:
    assert laid_out(workbook({"A": [["a", "b"], [1]]}), NAME).rows == [[1, None]]


def test_headers_that_are_no_texts_are_shown_as_texts_and_told_apart() -> None:
    dataset = laid_out(workbook({"A": [[2024.0, DAY, "x", "x"], [1, 2, 3, 4]]}), NAME)
    assert [*dataset.types] == ["2024", "2023-03-15", "x", "x_2"]


def test_error_cells_are_null_and_counted() -> None:
    rows = [["a"], [1], [Raw("#N/A", "e")], [Raw("#DIV/0!", "e", formula="1/0")], [2]]
    dataset = laid_out(workbook({"A": [[*row, 0] for row in rows], "B": [[Raw("#N/A", "e")]]}), NAME)
    assert dataset.column("a") == [1, None, None, 2]
    assert dataset.profile.reading["error_cells"] == 2
    assert "Cells with an error such as #N/A, read as null: 2." in (dataset.table.note or "")


def test_every_error_of_a_large_sheet_is_counted_once() -> None:
    rows = [["n", "e"], *([n, Raw("#N/A", "e")] for n in range(60_000))]
    assert laid_out(workbook({"A": rows}), NAME).profile.reading["error_cells"] == 60_000


def test_formulas_without_a_stored_result_are_null_and_counted() -> None:
    rows = [["a", "b"], [1, Raw("", formula="A1*2")], [2, Raw("4", formula="A2*2")]]
    dataset = laid_out(workbook({"A": rows}), NAME)
    assert dataset.column("b") == [None, 4]
    assert dataset.profile.reading["formulas_without_result"] == 1


def test_merged_cells_have_their_value_in_the_first_one_and_are_counted() -> None:
    data = workbook({"A": [["a", "b"], ["x", None], [1, 2]]}, merged={"A": ["A2:B2"]})
    dataset = laid_out(data, NAME)
    assert dataset.rows[0] == ["x", None]
    assert dataset.profile.reading["merged_ranges"] == 1


def test_times_below_zero_lose_their_sign_and_that_is_told() -> None:
    below = Raw("-0.25", style=TIME, formula="A1-B1")
    dataset = laid_out(workbook({"Sheet1": [["time", "amount"], [MORNING, -1], [below, -2]]}), NAME)
    assert dataset.table.note == (
        "Columns with times of day may have wrong ones, as a time below zero is read without its sign; formatted "
        "numbers below zero: 1."
    )
    assert dataset.profile.reading["negative_times"] == 1


def test_formatted_numbers_below_zero_are_not_told_of_where_no_time_is() -> None:
    data = workbook({"Sheet1": [["length", "day"], [Raw("-1.5", style=DURATION), DAY]]})
    assert laid_out(data, NAME).table.note is None


@pytest.mark.parametrize("days", ["1e10", "-1e10"])
def test_a_length_of_time_that_nothing_holds_is_refused(days: str) -> None:
    data = workbook({"Sheet1": [["length"], [Raw(days, style=DURATION)]]})
    assert problem_of(data, NAME).detail == "A cell of the sheet is a length of time beyond a billion days."


def test_days_are_counted_from_1904_where_the_workbook_says_so() -> None:
    assert laid_out(workbook({"A": [["d"], [Raw("1", style=DATE)], [DAY]]}, date1904=True), NAME).column("d") == [
        "1904-01-02",
        "2027-03-16",
    ]


@pytest.mark.parametrize("name", ["rows", "rows.xlsx", "rows.csv", "rows.zip"])
def test_the_format_is_found_in_the_bytes(name: str) -> None:
    assert understood(workbook({"A": [["a"], [1]]}), name).format is Format.EXCEL


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (zip_file("word/document.xml"), "a Word document"),
        (zip_file("ppt/presentation.xml"), "a PowerPoint presentation"),
        (zip_file("xl/workbook.bin"), "a binary Excel workbook (.xlsb; save it as .xlsx)"),
        (zip_file("a.csv"), "a zip archive"),
        (b"PK\x03\x04" + bytes(60), "a zip archive"),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600),
            "an old Office file or a workbook with a password (save it as .xlsx without one)",
        ),
    ],
)
def test_other_office_files_are_opaque_with_advice(data: bytes, what: str) -> None:
    assert understood(data, "thing").note == (
        f"This is {what}: it can be listed and loaded, but has no rows that can be paged."
    )
    assert problem_of(data, NAME).detail == (f"The file's name announces an Excel workbook, but its content is {what}.")


def test_an_open_document_spreadsheet_is_opaque_with_advice() -> None:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
    assert (understood(sink.getvalue(), "thing").note or "").startswith(
        "This is an OpenDocument spreadsheet (save it as .xlsx or CSV):"
    )


def replaced(data: bytes, member: str, change: Callable[[bytes], bytes]) -> bytes:
    """The workbook with one member changed."""
    sink = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, change(old.read(name)) if name == member else old.read(name))
    return sink.getvalue()


GOOD = workbook({"A": [["a"], [1]]})
SHEET = "xl/worksheets/sheet1.xml"


def test_a_cell_far_away_is_told_before_the_cells_between_are_laid_out() -> None:
    far = b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'
    table = understood(replaced(GOOD, SHEET, lambda xml: xml.replace(b"</sheetData>", far)), NAME)
    assert table.format is Format.OTHER
    assert (table.note or "").startswith("The cells of sheet 'A' lie in 1,048,576 rows and 16,384 columns")


def test_a_cell_far_away_that_was_hidden_from_us_ends_no_process_of_ours() -> None:
    far = b'<row><c\tr = "XFD1048576"><v>1</v></c></row></sheetData>'
    hidden = replaced(GOOD, SHEET, lambda xml: xml.replace(b"</sheetData>", far.replace(b"\tr = ", b" r=")))
    assert problem_of(hidden, NAME).detail == (
        "Reading the content, an Excel workbook, ended the reader: "
        "the file is damaged, or claims more than memory holds."
    )


def test_an_archive_with_a_directory_of_gigabytes_is_not_looked_into() -> None:
    end = GOOD.rindex(b"PK\x05\x06")
    forged = GOOD[: end + 12] + (2**31).to_bytes(4, "little") + GOOD[end + 16 :]
    assert (understood(forged, "thing").note or "").startswith("This is a zip archive:")


def test_a_bomb_inside_stops_at_the_bound() -> None:
    bomb = workbook({"A": [["a"], [1]]}, extra={"xl/media/image1.png": bytes(3_000_000)})
    assert understood(bomb, NAME, bytes_max=4_000_000).format is Format.EXCEL
    table = understood(bomb, NAME, bytes_max=1_000_000)
    assert (table.format, table.note) == (
        Format.OTHER,
        "The uncompressed content of this Excel workbook is larger than can be laid out as pages. "
        "It can be listed and loaded.",
    )


def test_a_workbook_of_very_many_parts_is_kept() -> None:
    many = workbook({"A": [["a"], [1]]}, extra={f"x{n}": b"" for n in range(10_001)})
    assert (understood(many, NAME).note or "").startswith("This Excel workbook has more than 10,000 parts")


def test_cells_are_counted_against_the_budget() -> None:
    data = workbook({"A": [["a"], *(["x" * 100] for _ in range(1_000))]})
    assert (understood(data, NAME, decoded_bytes_max=50_000).note or "").startswith(
        "The rows of this Excel sheet are larger than 50,000 bytes once decoded"
    )


def test_more_columns_than_page_are_told() -> None:
    data = workbook({"A": [[f"c{n}" for n in range(11)]]})
    assert (understood(data, NAME, columns_max=10).note or "").startswith("This Excel sheet has 11 columns")


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-30],
        lambda data: data[: len(data) // 2],
        lambda data: replaced(data, "xl/workbook.xml", lambda xml: xml[:-20]),
        lambda data: replaced(data, SHEET, lambda xml: xml[:-40]),
        lambda data: replaced(data, "xl/_rels/workbook.xml.rels", lambda xml: b"<"),
        lambda data: replaced(data, SHEET, lambda xml: b"\x00" * 50),
    ],
    ids=["no directory", "half", "workbook", "sheet", "relations", "zeros"],
)
def test_a_damaged_workbook_is_refused(damage: Callable[[bytes], bytes]) -> None:
    assert problem_of(damage(GOOD), NAME).code is ProblemCode.UNREADABLE_FILE


def test_entities_that_multiply_are_refused() -> None:
    levels = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
    lol = f'<?xml version="1.0"?><!DOCTYPE w [<!ENTITY e0 "lol">{levels}]><workbook>&e9;</workbook>'
    problem = problem_of(replaced(GOOD, "xl/workbook.xml", lambda xml: lol.encode()), NAME)
    assert problem.detail == "This Excel workbook can not be read."


@pytest.mark.parametrize(
    ("cells", "read_as", "count"),
    [
        (["59", "61"], ["1900-02-28", "1900-03-01"], None),
        (["60"], ["1900-02-28"], 1),
        (["59", "60", "60", "61"], ["1900-02-28", "1900-02-28", "1900-02-28", "1900-03-01"], 2),
        (["60.25", "61"], ["1900-02-28T06:00:00.000", "1900-03-01T00:00:00.000"], 1),
        (["600", "160"], ["1901-08-22", "1900-06-08"], None),
    ],
    ids=["around it", "alone", "twice", "a time of it", "others"],
)
def test_the_day_of_excel_that_never_was_is_the_one_before_and_counted(
    cells: list[str], read_as: list[str], count: int | None
) -> None:
    dataset = laid_out(workbook({"A": [["day"], *([Raw(cell, style=DATE)] for cell in cells)]}), NAME)
    assert dataset.column("day") == read_as
    assert dataset.profile.reading.get("days_that_never_were") == count
    assert ("1900-02-29" in (dataset.table.note or "")) == (count is not None)


def test_numbers_of_sixty_are_no_days() -> None:
    assert "days_that_never_were" not in laid_out(workbook({"A": [["n"], [60], [60.5]]}), NAME).profile.reading


def test_a_workbook_that_counts_from_1904_has_no_such_day() -> None:
    dataset = laid_out(workbook({"A": [["day"], [Raw("60", style=DATE)]]}, date1904=True), NAME)
    assert (dataset.column("day"), dataset.profile.reading.get("days_that_never_were")) == (["1904-03-01"], None)


def test_a_title_above_the_names_of_a_sheet_is_warned_of() -> None:
    data = workbook({"Sheet1": [[None, None], ["Report 2026", None], ["id", "name"], [1, "x"]]})
    assert (understood(data, NAME).note or "").endswith(
        "Row 2 names one of 2 columns, 'Report 2026': if that is a title above the names, remove it and register again."
    )


def test_an_index_without_a_name_makes_no_title_of_the_header_of_a_sheet() -> None:
    assert "title" not in (understood(workbook({"Sheet1": [[None, "value"], [0, 1]]}), NAME).note or "")
