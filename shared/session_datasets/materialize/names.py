"""Names of files and of columns, made safe or refused before any row is pulled."""

from __future__ import annotations

import re
import unicodedata
import uuid
from collections.abc import Callable, Container, Iterable, Sequence
from functools import partial
from pathlib import PurePosixPath

from session_datasets.domain.limits import FILE_NAME_BYTES_MAX, TABLE_COLUMNS_MAX
from session_datasets.domain.numbered_names import NumberedNames
from session_datasets.materialize.cells import cell_of, clean, csv_text, cut, without_nul
from session_datasets.materialize.refusals import InvalidMaterializeError, UnsafeFileNameError

_SEPARATORS = re.compile(r"[/\\:]")
# What Windows keeps for devices, whatever suffix follows.
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)[. ]*(\..*)?", re.IGNORECASE)
# Control characters, formats that turn the direction of text, surrogates.
_UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def file_name_of(wished: str | None, fmt: str) -> str:
    """The name in Unicode's composed form, with the format's suffix if it has none; a unique one for None.

    One slash before it means nothing. UnsafeFileNameError otherwise, with the nearest name that is safe;
    InvalidMaterializeError for a name that announces the other format.
    """
    if wished is None:
        return f"result_{uuid.uuid4().hex[:12]}.{fmt}"
    if not isinstance(wished, str):
        raise UnsafeFileNameError(
            f"filename is a {type(wished).__name__}, not a text; nothing was saved.", "Pass a plain file name, or None."
        )
    name = unicodedata.normalize("NFC", wished.removeprefix("/"))
    if reason := _unsafe(name):
        raise UnsafeFileNameError(
            f"The file name {cut(wished, 80)!r} {reason}; nothing was saved.",
            f"Call again with filename={_safe(name, fmt)!r}, or without one.",
        )
    if (announced := PurePosixPath(name).suffix.casefold().removeprefix(".")) in {"csv", "parquet"} - {fmt}:
        raise InvalidMaterializeError(
            f"The file name {cut(wished, 80)!r} announces {announced} and fmt is {fmt!r}; nothing was saved.",
            f"Call again with fmt={announced!r}, or with filename={PurePosixPath(name).stem + '.' + fmt!r}.",
        )
    return _with_suffix(name, fmt)


def _unsafe(name: str) -> str | None:
    if not name.strip(". "):
        return "is empty"
    if _SEPARATORS.search(name):
        return "has a separator of folders"
    if any(unicodedata.category(character) in _UNPRINTABLE for character in name):
        return "has characters that do not print"
    if name[0] in ". -~" or name[-1] in ". ":
        return "begins or ends with a dot, a blank, a dash or a tilde"
    if _RESERVED.fullmatch(name):
        return "is kept for a device"
    if len(name.encode()) > FILE_NAME_BYTES_MAX - len(".parquet"):
        return f"is longer than {FILE_NAME_BYTES_MAX - len('.parquet')} bytes"
    return None


def _safe(name: str, fmt: str) -> str:
    last = _SEPARATORS.split(name)[-1]
    shown = "".join(each for each in last if unicodedata.category(each) not in _UNPRINTABLE)
    stem = PurePosixPath(shown.strip(". -~")).stem.strip(". -~")
    stem = stem.encode()[:200].decode(errors="ignore")
    return f"result.{fmt}" if not stem or _unsafe(stem) else f"{stem}.{fmt}"


def _with_suffix(name: str, fmt: str) -> str:
    return name if PurePosixPath(name).suffix else f"{name}.{fmt}"


def free_name(name: str, taken: Callable[[str], bool] | Container[str]) -> str:
    """The name or its first numbered sibling that is free: ``sales.csv``, ``sales-2.csv``, ``sales-3.csv``."""
    is_taken = taken if callable(taken) else taken.__contains__
    path, number, candidate = PurePosixPath(name), 1, name
    while is_taken(candidate):
        number += 1
        candidate = f"{path.stem}-{number}{path.suffix}"
    return candidate


def alike(name: str) -> str:
    """The same for names that some file system takes for the same: other case, other form of Unicode."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def column_names(columns: Iterable[object], fmt: str) -> tuple[list[str], list[str]]:
    """Distinct texts in the given order, as a file of this format holds them, and a note for each that had to be
    changed. A name that needs no change is never given to another column.

    InvalidMaterializeError without any column, or with more than a table that pages may have.
    """
    wished = _listed(columns)
    if not wished:
        raise InvalidMaterializeError(
            "There are no columns; nothing was saved.", "Pass the names of the columns in the order of the cells."
        )
    if len(wished) > TABLE_COLUMNS_MAX:
        raise InvalidMaterializeError(
            f"{len(wished):,} columns are more than {TABLE_COLUMNS_MAX:,}; nothing was saved.",
            "Select fewer columns, or write one row for each value.",
        )
    names: list[str] = []
    notes: list[str] = []
    used: set[str] = set()
    given = {each for each in wished if isinstance(each, str)}
    numbered = NumberedNames()
    for number, column in enumerate(wished, 1):
        text = _text(column, fmt) or f"column_{number}"
        name = numbered.free(text, partial(_is_anothers, column, used, given))
        used.add(name)
        names.append(name)
        if not isinstance(column, str) or name != column:
            notes.append(f"Column {number} was named {cut(_shown(column), 60)} and is {cut(repr(name), 60)} now.")
    return names, notes


def _is_anothers(column: object, used: set[str], given: set[str], name: str) -> bool:
    return name in used or (name != column and name in given)


def _listed(columns: Iterable[object]) -> Sequence[object]:
    if isinstance(columns, str | bytes):
        raise InvalidMaterializeError(
            "columns is one text, not a list of names; nothing was saved.", "Pass the names as a list."
        )
    try:
        return list(columns)
    except Exception as error:
        raise InvalidMaterializeError(
            f"columns is a {type(columns).__name__} whose names can not be had ({type(error).__name__}); "
            "nothing was saved.",
            "Pass the names as a list.",
        ) from error


def _shown(column: object) -> str:
    try:
        return repr(column)
    except Exception:
        return f"a {type(column).__name__}"


def _text(column: object, fmt: str) -> str:
    try:
        text = clean(csv_text(cell_of(column)))[0]
    except Exception:
        # It has no text, or raises when it is asked for one.
        return ""
    return without_nul(text) if fmt == "csv" else text
