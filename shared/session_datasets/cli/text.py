"""What came from a file or a name, made fit for a terminal: it is shown, never obeyed."""

from __future__ import annotations

import json
import unicodedata
from typing import Any

from rich.text import Text

CELL_CHARACTERS = 60
# Control characters move the cursor or start escape sequences; format characters reorder or hide text.
_SPELLED_OUT = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def plain(value: str) -> str:
    """``value`` with everything that a terminal would act upon spelled out, as in ``\\x1b``."""
    return value if value.isprintable() else "".join(_spelled(character) for character in value)


def cell(value: Any, characters: int = CELL_CHARACTERS) -> Text:
    """One cell of a page, cut for display; never read as markup."""
    if value is None:
        return Text("null", style="dim")
    spelled = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    cut = spelled[:characters]
    shown = plain(cut)
    return Text(shown if len(cut) == len(spelled) else shown + "…")


def count(number: int | None) -> str:
    return "" if number is None else f"{number:,}"


def size(number: int) -> str:
    """Bytes as a person reads them: 1,536 bytes are 1.5 KiB."""
    amount = float(number)
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if amount < 1024:
            return f"{amount:,.0f} {unit}" if unit == "bytes" else f"{amount:,.1f} {unit}"
        amount /= 1024
    return f"{amount:,.1f} TiB"


def _spelled(character: str) -> str:
    if unicodedata.category(character) not in _SPELLED_OUT:
        return character
    if character in _SHORT:
        return _SHORT[character]
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
