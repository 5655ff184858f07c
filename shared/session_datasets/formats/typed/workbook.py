"""One sheet of an Excel workbook (.xlsx) as a table: its first row names the columns.

A cell is what Excel stored: a number (a double, as all numbers of Excel), a text, a truth value, a date, a time, a
length of time. A column of one kind has its type: bool, string, date32, timestamp[ms], time32[ms], duration[ms];
numbers are int64 when all of them are whole and within +-2^53, else double; dates with times among them are
timestamps. A column of several kinds is text, each cell as its text. A caller's hint is taken if every cell fits it.

Empty cells, empty texts and errors such as #N/A are null. Rows and unnamed columns without any value are left out.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any
from xml.etree import ElementTree

import pyarrow as pa
import python_calamine as calamine

from session_datasets.domain.limits import MIB
from session_datasets.domain.profile import Format, JsonValue, ReadingHints
from session_datasets.formats.stream import NoTable, TableStream, damaged, distinct_names, names_in_words, title_told
from session_datasets.formats.text.hints import require_known
from session_datasets.formats.typed.sheet_columns import SheetColumn, shown
from session_datasets.formats.typed.typed_rows import require_few_columns, too_large
from session_datasets.formats.typed.zip_kinds import WORKBOOK_MEMBER

_WHAT = "this Excel sheet"
_ADVICE = "Open the workbook in Excel, save it again as .xlsx (or the sheet as CSV), then upload and register it."
# Parts of a workbook: one with a thousand sheets and pictures has room in it.
_MEMBERS_MAX = 10_000
_PIECE_BYTES = 1 * MIB
# Cells of the rectangle that holds all cells of a sheet: the parser takes 32 bytes for each, empty or not.
_CELLS_MAX = 32 * 1024 * 1024
_BATCH_CELLS = 128 * 1024
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_ERROR_CELL = re.compile(rb'<c\b[^>]*\bt="e"')
_ROW = re.compile(rb'<row\b[^>]*?\br="(\d{1,9})"')
# Of cells in the first 26 columns nothing is found, which is all that the sum below needs of them.
_COLUMN = re.compile(rb'<c\b[^>]*?\br="([A-Z]{2,3})\d')
_FORMULA_WITHOUT_RESULT = re.compile(rb"(?:</f>|<f\b[^>]*/>)\s*(?:</c>|<v\s*/>|<v></v>)")
# Of a time or a day before the first one, which Excel shows as ####, the parser tells the amount without its sign.
_NEGATIVE = re.compile(rb'<c\b[^>]*\bs="[1-9]\d{0,5}"[^>]*>(?:<f\b[^>]*/>|<f\b[^>]*>[^<]*</f>)?<v>-')
# The day 60 of Excel's own calendar, 1900-02-29, which there never was: the parser tells it as the day before.
_DAY_60 = re.compile(
    rb'<c\b[^>]*\bs="[1-9]\d{0,5}"[^>]*>(?:<f\b[^>]*/>|<f\b[^>]*>[^<]*</f>)?<v>(?:60(?:\.\d*)?|6\.0\d*E\+?0?1)</v>'
)
# The longest tag that the patterns above have to see whole.
_OVERLAP_BYTES = 256

Row = Sequence[Any]


def open_workbook(
    file: Path, hints: ReadingHints, columns_max: int, bytes_max: int, decoded_bytes_max: int
) -> TableStream:
    """Raises NoTable for what can not be paged, Refusal when damaged or against the hints.

    Everything inside is uncompressed and counted before the parser sees it: NoTable beyond ``bytes_max``.
    """
    members = _uncompressed(file, bytes_max)
    book = _opened(file)
    sheet, remarks = _chosen(book, hints.sheet, members)
    rows = _Rows(sheet)
    require_few_columns(len(rows.header), columns_max, _WHAT)
    kept, columns = _columns(rows, hints, decoded_bytes_max)
    given = [shown(rows.header[place]) for place in kept]
    names, renamed = distinct_names(given)
    require_known(hints.types, names)
    schema = pa.schema(
        [
            pa.field(name, column.decide(name, hints.types.get(name)))
            for name, column in zip(names, columns, strict=True)
        ]
    )
    reading: dict[str, JsonValue] = {"sheet": sheet.name, "header_row": rows.header_row}
    remarks += [*renamed, *title_told(given, f"Row {rows.header_row:,}")]
    remarks += _told(rows, len(rows.header) - len(kept), members.get(sheet.name), sheet, columns, reading)
    batches = _batches(rows, kept, columns, schema)
    return TableStream(Format.EXCEL, schema, batches, remarks, [column.rule for column in columns], reading)


@dataclass(slots=True)
class _Member:
    """What the parser does not tell of a sheet, or too late, found in its XML.

    ``last_row`` and ``last_column`` (26 for all below) are numbers from 1: the parser lays out every cell up to there.
    """

    errors: int = 0
    formulas_without_result: int = 0
    negatives: int = 0
    days_60: int = 0
    last_row: int = 0
    last_column: int = 26

    def see(self, data: bytes, seen: int) -> None:
        """``data`` with its first ``seen`` bytes for the second time: tags that end there were counted."""
        self.errors += _ends_after(seen, _ERROR_CELL, data)
        self.formulas_without_result += _ends_after(seen, _FORMULA_WITHOUT_RESULT, data)
        self.negatives += _ends_after(seen, _NEGATIVE, data)
        self.days_60 += _ends_after(seen, _DAY_60, data)
        self.last_row = max(self.last_row, *map(int, _ROW.findall(data)), 0)
        letters = max(_COLUMN.findall(data), key=lambda found: (len(found), found), default=b"Z")
        self.last_column = max(self.last_column, _column_number(letters))

    def require_laid_out(self, name: str) -> None:
        cells = self.last_row * self.last_column
        if self.last_column > 26 and cells > _CELLS_MAX:
            raise NoTable(
                f"The cells of sheet {names_in_words([name])} lie in {self.last_row:,} rows and {self.last_column:,} "
                f"columns, {cells:,} cells with the empty ones between them, more than the {_CELLS_MAX:,} that can be "
                "laid out. It can be listed and loaded; without the stray cells far off it can be paged, too."
            )


def _ends_after(place: int, pattern: re.Pattern[bytes], data: bytes) -> int:
    return sum(match.end() > place for match in pattern.finditer(data))


def _column_number(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + letter - ord("A") + 1
    return number


def _uncompressed(file: Path, bytes_max: int) -> dict[str, _Member]:
    """Reads every member once; answers those of the sheets by the name of the sheet."""
    try:
        with zipfile.ZipFile(file) as archive:
            if len(archive.infolist()) > _MEMBERS_MAX:
                raise NoTable(
                    f"This Excel workbook has more than {_MEMBERS_MAX:,} parts, too many to be read. "
                    "It can be listed and loaded."
                )
            seen, total = {}, 0
            for info in archive.infolist():
                with archive.open(info) as opened:
                    seen[info.filename], size = _counted(opened, bytes_max - total)
                total += size
            return _by_sheet(archive, seen)
    except (NoTable, MemoryError):
        raise
    except Exception as error:  # zipfile hands on what each kind of compression raises, and errors of its own
        raise _unreadable() from error


def _counted(opened: IO[bytes], bytes_left: int) -> tuple[_Member, int]:
    member, size, tail = _Member(), 0, b""
    while piece := opened.read(_PIECE_BYTES):
        size += len(piece)
        if size > bytes_left:
            raise NoTable(
                "The uncompressed content of this Excel workbook is larger than can be laid out as pages. "
                "It can be listed and loaded."
            )
        member.see(tail + piece, len(tail))
        tail = (tail + piece)[-_OVERLAP_BYTES:]
    return member, size


def _by_sheet(archive: zipfile.ZipFile, seen: dict[str, _Member]) -> dict[str, _Member]:
    names = {
        element.get(_RELATION): element.get("name")
        for element in ElementTree.fromstring(archive.read(WORKBOOK_MEMBER)).iter()
        if element.tag.endswith("}sheet")
    }
    try:
        relations = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
    except KeyError:
        raise _unreadable() from None
    targets = {element.get("Id"): element.get("Target", "") for element in relations}
    return {
        name: seen[path]
        for relation, name in names.items()
        if name is not None and (path := _path(targets.get(relation, ""))) in seen
    }


def _path(target: str) -> str:
    return target[1:] if target.startswith("/") else f"xl/{target}"


def _opened(file: Path) -> calamine.CalamineWorkbook:
    try:
        with file.open("rb") as opened:
            return calamine.CalamineWorkbook.from_filelike(opened)
    except (calamine.CalamineError, OSError) as error:
        raise _unreadable() from error


def _unreadable() -> Exception:
    return damaged("This Excel workbook can not be read.", _ADVICE)


def _chosen(
    book: calamine.CalamineWorkbook, wanted: str | None, members: Mapping[str, _Member]
) -> tuple[calamine.CalamineSheet, list[str]]:
    """The sheet of that name, or the first visible one with a cell; a remark that tells of the others."""
    kinds = calamine.SheetTypeEnum.WorkSheet
    visible = calamine.SheetVisibleEnum.Visible
    found = [each for each in book.sheets_metadata if each.typ == kinds]
    if wanted is not None:
        if wanted not in [each.name for each in found]:
            raise damaged(
                f"The workbook has no sheet {names_in_words([wanted])}; it has "
                f"{names_in_words(each.name for each in found) or 'none'}.",
                "Name one of its sheets in the hint 'sheet', or leave the hint out to read the first one with cells.",
            )
        candidates = [wanted]
    else:
        candidates = [each.name for each in found if each.visible == visible]
    for name in candidates:
        if name in members:
            members[name].require_laid_out(name)
        sheet = _sheet(book, name)
        if sheet.start is not None:
            others = [each.name for each in found if each.name != name]
            told = f"The rows are those of sheet {names_in_words([name])}; others are {names_in_words(others)}."
            return sheet, [told] if others else []
    what = f"sheet {names_in_words(candidates)}" if wanted is not None else "any visible sheet"
    raise NoTable(f"There is no cell in {what} of this Excel workbook. It can be listed and loaded.")


def _sheet(book: calamine.CalamineWorkbook, name: str) -> calamine.CalamineSheet:
    try:
        return book.get_sheet_by_name(name)
    except (calamine.CalamineError, OSError) as error:
        raise _unreadable() from error


class _Rows:
    """The rows of a sheet below its header, those without any value left out."""

    def __init__(self, sheet: calamine.CalamineSheet) -> None:
        self._sheet = sheet
        self.header: Row = ()
        self.header_row = 0
        self.empty_rows = 0
        for place, row in enumerate(self._all(), start=1):
            if any(cell != "" for cell in row):
                self.header, self.header_row = row, place
                return

    def _all(self) -> Iterator[Row]:
        try:
            yield from self._sheet.iter_rows()
        except (OverflowError, ValueError) as error:
            raise damaged("A cell of the sheet is a length of time beyond a billion days.", _ADVICE) from error

    def __iter__(self) -> Iterator[Row]:
        self.empty_rows = 0
        for place, row in enumerate(self._all(), start=1):
            if place <= self.header_row:
                continue
            if any(cell != "" for cell in row):
                yield row
            else:
                self.empty_rows += 1


def _columns(rows: _Rows, hints: ReadingHints, decoded_bytes_max: int) -> tuple[list[int], list[SheetColumn]]:
    """The places of the columns that have a name or a value, and what their cells are."""
    columns = [SheetColumn(frozenset(hints.nulls)) for _ in rows.header]
    size = 0
    for row in rows:
        for column, cell in zip(columns, row, strict=True):
            if cell != "":
                size += column.see(cell)
        size += len(row)
        if size > decoded_bytes_max:
            raise too_large(decoded_bytes_max, _WHAT)
    kept = [place for place, name in enumerate(rows.header) if name != "" or columns[place].seen]
    return kept, [columns[place] for place in kept]


def _told(
    rows: _Rows,
    empty_columns: int,
    member: _Member | None,
    sheet: calamine.CalamineSheet,
    columns: Sequence[SheetColumn],
    reading: dict[str, JsonValue],
) -> Iterator[str]:
    """What a person should know, and the counts of it in ``reading``."""
    merged = len(sheet.merged_cell_ranges or ())
    times = any(column.has_times for column in columns)
    day_60 = any(column.has_day_59 for column in columns)
    counts = {
        "error_cells": (member.errors if member else 0, "Cells with an error such as #N/A, read as null"),
        "formulas_without_result": (
            member.formulas_without_result if member else 0,
            "Formulas without a stored result, read as null (Excel stores one when it saves the file)",
        ),
        "negative_times": (
            member.negatives if member and times else 0,
            "Columns with times of day may have wrong ones, as a time below zero is read without its sign; formatted "
            "numbers below zero",
        ),
        "days_that_never_were": (
            member.days_60 if member and day_60 else 0,
            "Cells with Excel's 1900-02-29, which there never was, read as 1900-02-28; formatted numbers from 60 to 61",
        ),
        "merged_ranges": (merged, "Ranges of merged cells, whose value is in their first cell only"),
        "empty_rows": (rows.empty_rows, "Empty rows left out"),
        "empty_columns": (empty_columns, "Columns left out that have no name and no value"),
    }
    for name, (count, told) in counts.items():
        if count:
            reading[name] = count
            yield f"{told}: {count:,}."


def _batches(
    rows: _Rows, kept: Sequence[int], columns: Sequence[SheetColumn], schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    held: list[Row] = []
    at_once = max(1, _BATCH_CELLS // max(1, len(kept)))
    for row in rows:
        held.append(row)
        if len(held) == at_once:
            yield _batch(held, kept, columns, schema)
            held = []
    if held:
        yield _batch(held, kept, columns, schema)


def _batch(
    rows: Sequence[Row], kept: Sequence[int], columns: Sequence[SheetColumn], schema: pa.Schema
) -> pa.RecordBatch:
    arrays = [column.array([row[place] for row in rows]) for place, column in zip(kept, columns, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
