"""Excel workbooks as Excel writes them, cell by cell, without a library."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
# Places in the list of cell formats below.
DATE, DATE_TIME, TIME, DURATION = 1, 2, 3, 4
_FORMATS = (0, 14, 22, 21, 46)


@dataclass(frozen=True)
class Raw:
    """A cell as it lies in the XML: its text, its type attribute (``n``, ``e``, ``b``, ``str``) and its format."""

    value: str
    type: str = "n"
    style: int = 0
    formula: str | None = None


Cell = None | bool | int | float | str | Raw


def workbook(
    sheets: Mapping[str, Sequence[Sequence[Cell]]],
    hidden: Sequence[str] = (),
    merged: Mapping[str, Sequence[str]] | None = None,
    date1904: bool = False,
    extra: Mapping[str, bytes] | None = None,
) -> bytes:
    """The bytes of an .xlsx with these sheets of rows; None leaves a cell out. ``extra``: more members of the zip."""
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", _content_types(len(sheets)))
        archive.writestr("_rels/.rels", _relationships([("officeDocument", "xl/workbook.xml")]))
        archive.writestr("xl/workbook.xml", _workbook(list(sheets), hidden, date1904))
        parts = [("worksheet", f"worksheets/sheet{n}.xml") for n in range(1, len(sheets) + 1)]
        archive.writestr("xl/_rels/workbook.xml.rels", _relationships([*parts, ("styles", "styles.xml")]))
        archive.writestr("xl/styles.xml", _styles())
        for number, (name, rows) in enumerate(sheets.items(), start=1):
            archive.writestr(f"xl/worksheets/sheet{number}.xml", _sheet(rows, (merged or {}).get(name, ())))
        for name, data in (extra or {}).items():
            archive.writestr(name, data)
    return sink.getvalue()


def _content_types(count: int) -> str:
    overrides = "".join(
        f'<Override PartName="/xl/worksheets/sheet{n}.xml" '
        'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>'
        for n in range(1, count + 1)
    )
    return (
        f'<?xml version="1.0"?><Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" '
        'ContentType="application/xml"/><Override PartName="/xl/workbook.xml" '
        'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>'
        f"{overrides}</Types>"
    )


def _relationships(parts: Sequence[tuple[str, str]]) -> str:
    items = "".join(
        f'<Relationship Id="rId{n}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for n, (kind, target) in enumerate(parts, start=1)
    )
    return f'<?xml version="1.0"?><Relationships xmlns="{_PACKAGE}/relationships">{items}</Relationships>'


def _workbook(names: Sequence[str], hidden: Sequence[str], date1904: bool) -> str:
    hide = ' state="hidden"'
    sheets = "".join(
        f'<sheet name="{escape(name)}" sheetId="{n}" r:id="rId{n}"{hide if name in hidden else ""}/>'
        for n, name in enumerate(names, start=1)
    )
    properties = '<workbookPr date1904="1"/>' if date1904 else ""
    return (
        f'<?xml version="1.0"?><workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}">{properties}'
        f"<sheets>{sheets}</sheets></workbook>"
    )


def _styles() -> str:
    formats = "".join(f'<xf numFmtId="{number}" xfId="0" applyNumberFormat="1"/>' for number in _FORMATS)
    return f'<?xml version="1.0"?><styleSheet xmlns="{_MAIN}"><cellXfs count="5">{formats}</cellXfs></styleSheet>'


def _sheet(rows: Sequence[Sequence[Cell]], merged: Sequence[str]) -> str:
    lines = "".join(
        f'<row r="{r}">' + "".join(_cell(cell, f"{_letters(c)}{r}") for c, cell in enumerate(row)) + "</row>"
        for r, row in enumerate(rows, start=1)
    )
    merges = "".join(f'<mergeCell ref="{ref}"/>' for ref in merged)
    tail = f"<mergeCells>{merges}</mergeCells>" if merged else ""
    return f'<?xml version="1.0"?><worksheet xmlns="{_MAIN}"><sheetData>{lines}</sheetData>{tail}</worksheet>'


def _cell(cell: Cell, place: str) -> str:
    if cell is None:
        return ""
    if isinstance(cell, Raw):
        formula = "" if cell.formula is None else f"<f>{escape(cell.formula)}</f>"
        return f'<c r="{place}" t="{cell.type}" s="{cell.style}">{formula}<v>{escape(cell.value)}</v></c>'
    if isinstance(cell, bool):
        return f'<c r="{place}" t="b"><v>{int(cell)}</v></c>'
    if isinstance(cell, str):
        return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{escape(cell)}</t></is></c>'
    return f'<c r="{place}"><v>{cell!r}</v></c>'


def _letters(column: int) -> str:
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters
