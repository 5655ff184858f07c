"""How many bytes cells take in JSON with every character beyond ASCII escaped, which is the most they may take.

The sum is exactly that of ``json.dumps``. The fast encoder spells the same but for three things: it leaves letters
beyond ASCII and the delete character as they are, and writes small numbers in another way.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import orjson
import pyarrow as pa
import pyarrow.types as kind

from session_datasets.domain.profile import JsonValue
from session_datasets.formats.values.nested import is_nested, is_text

# ", " between two cells, and the brackets around a row.
COMMA_BYTES = 2
BRACKETS_BYTES = 2
# 1e-7 is 1e-07 and 0.00001 is 1e-05 in the words of json.dumps.
_SMALL_NUMBERS = (b"e-", b"0.0000")


def cells_bytes(cells: Sequence[JsonValue], type_: pa.DataType) -> int:
    """Bytes of all ``cells`` of a column of this type, without what stands between them."""
    if not cells:
        return 0
    if not is_nested(type_):
        data = orjson.dumps(cells)
        if _is_spelled_alike(data, type_):
            return len(data) - BRACKETS_BYTES - (len(cells) - 1)
    return len(json.dumps(cells)) - BRACKETS_BYTES - COMMA_BYTES * (len(cells) - 1)


def _is_spelled_alike(data: bytes, type_: pa.DataType) -> bool:
    if is_text(type_):
        return data.isascii() and b"\x7f" not in data
    return not (kind.is_floating(type_) and any(small in data for small in _SMALL_NUMBERS))


def plain_rows_bytes(rows: Sequence[list[JsonValue]], types: Sequence[pa.DataType]) -> int | None:
    """Bytes of the cells of all ``rows`` and of each row's overhead, told by one look at all of them; None where the
    columns have to be looked at one by one."""
    if any(is_nested(type_) for type_ in types):
        return None
    data = orjson.dumps(rows)
    has_floats = any(kind.is_floating(type_) for type_ in types)
    if not data.isascii() or b"\x7f" in data or (has_floats and any(small in data for small in _SMALL_NUMBERS)):
        return None
    # The fast encoder puts no space behind a comma, none behind the last row, and brackets around all of them.
    return len(data) - BRACKETS_BYTES + 1 + len(rows) * max(1, len(types))


def row_overhead_bytes(columns: int) -> int:
    """Bytes of a row besides its cells: brackets, the commas inside, and the one that follows it."""
    return BRACKETS_BYTES + COMMA_BYTES * max(0, columns - 1) + COMMA_BYTES
