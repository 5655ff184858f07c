"""What a Parquet file unpacks to, as the heads of its pages say, which the reader of the values goes by as well.

Its footer may say anything. A page of some bytes says how large it is unpacked and how many values it has: a run of a
million times the same number takes three bytes, and a page of zeros next to none.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from io import SEEK_END, BufferedReader
from typing import Any

from session_datasets.boundary.references.guards import OverBudget
from session_datasets.client.frames import required_pyarrow
from session_datasets.domain.limits import KIB

# PLAIN, PLAIN_DICTIONARY, RLE and RLE_DICTIONARY: others spell a text by the one before it, as long as they say.
_ENCODINGS = frozenset({0, 2, 3, 8})
_PLAIN = 0
_DATA_PAGE, _DICTIONARY_PAGE, _DATA_PAGE_V2 = 0, 2, 3
# Fields of a page's head and of the heads in it, by their number in parquet.thrift.
_KIND, _UNPACKED, _PACKED, _DATA, _DICTIONARY, _DATA_V2 = 1, 2, 3, 5, 7, 8
_VALUES, _ENCODING, _ENCODING_V2 = 1, 2, 4
# A page has levels and lengths beside its values.
_BESIDE_VALUES = 2
_LITTLE = 64 * KIB
_INT32_MAX = 2**31 - 1
# Beside a text its length and its levels, and what a page has once.
_BESIDE_TEXT, _BESIDE_PAGE = 6, 16
# A dictionary so short that its longest text need not be looked for, and one that is longer than any that is written.
_SHORT, _COUNTED_MAX = 256, 1_000_000
_BITS = {"BOOLEAN": 1, "INT32": 32, "INT64": 64, "INT96": 96, "FLOAT": 32, "DOUBLE": 64, "BYTE_ARRAY": 32}


@dataclass(slots=True)
class _Column:
    """What its pages say, in bytes unless it says bits. ``texts`` are those that pages hold, ``repeated`` the most that
    those can take which pages hold by their numbers in a dictionary."""

    values: int = 0
    largest_page: int = 0
    largest_dictionary: int = 0
    texts: int = 0
    repeated: int = 0


def repeating_columns(metadata: Any, file: BufferedReader, bytes_max: int) -> list[str]:
    """The paths of the columns of texts that may take more than ``bytes_max`` because they repeat long ones.

    OverBudget when the values of all pages take more in any case, or the pages that are open together do. ValueError
    for pages as this package writes none. Of the pages, only the dictionaries of texts are unpacked."""
    chunks = [group.column(at) for group in _groups(metadata) for at in range(metadata.num_columns)]
    if sum(each.total_compressed_size for each in chunks) > file.seek(0, SEEK_END):
        raise ValueError("its columns have more bytes than it has")
    found = []
    bits = open_together = repeated = 0
    for number in range(metadata.num_columns):
        column, schema = _column(metadata, number, file), metadata.schema.column(number)
        bits += column.values * _bits_of(schema) + 8 * column.texts
        open_together += column.largest_page + column.largest_dictionary
        if bits > 8 * bytes_max or open_together > _BESIDE_VALUES * bytes_max + _LITTLE:
            raise OverBudget
        if repeated + column.repeated > bytes_max:
            found.append(schema.path)
        else:
            repeated += column.repeated
    return found


def _column(metadata: Any, number: int, file: BufferedReader) -> _Column:
    column = _Column()
    is_text = metadata.schema.column(number).physical_type == "BYTE_ARRAY"
    for group in _groups(metadata):
        longest = 0
        for at, page in _pages(group, number, file):
            unpacked = page[_UNPACKED]
            if page[_KIND] == _DICTIONARY_PAGE:
                column.largest_dictionary = max(column.largest_dictionary, unpacked)
                if is_text:
                    longest = max(longest, _longest(page, at, group.column(number).compression, file))
                continue
            values, encoding = _values(page)
            column.values += values
            column.largest_page = max(column.largest_page, unpacked)
            if is_text and encoding == _PLAIN:
                column.texts += max(0, unpacked - _BESIDE_TEXT * values - _BESIDE_PAGE)
            elif is_text:
                column.repeated += values * longest
    return column


def _groups(metadata: Any) -> Iterator[Any]:
    return map(metadata.row_group, range(metadata.num_row_groups))


def _longest(page: dict[int, Any], at: int, codec: str, file: BufferedReader) -> int:
    """The bytes of the longest text of a dictionary, or more."""
    unpacked, count = page[_UNPACKED], page[_DICTIONARY][_VALUES]
    if unpacked <= _SHORT or count > _COUNTED_MAX:
        return int(unpacked)
    file.seek(at)
    data = file.read(page[_PACKED])
    if codec != "UNCOMPRESSED":
        data = required_pyarrow().decompress(data, unpacked, codec.lower(), asbytes=True)
    place = longest = 0
    for _ in range(count):
        (length,) = struct.unpack_from("<I", data, place)
        longest, place = max(longest, length), place + 4 + length
    return longest


def _bits_of(column: Any) -> int:
    """What a value takes in an Arrow table, or less."""
    kind = column.physical_type
    if kind == "FIXED_LEN_BYTE_ARRAY":
        bits = 8 * column.length
    elif kind == "INT32" and column.logical_type.type in ("INT", "UNKNOWN"):
        # Small numbers are written as larger ones.
        bits = json.loads(column.logical_type.to_json()).get("bitWidth", 8)
    else:
        bits = _BITS[kind]
    # An empty list counts among the values.
    return bits // 2 if column.max_repetition_level else int(bits)


def _values(page: dict[int, Any]) -> tuple[int, int]:
    """How many there are, and how they are encoded."""
    head, encoding = (page[_DATA_V2], _ENCODING_V2) if page[_KIND] == _DATA_PAGE_V2 else (page[_DATA], _ENCODING)
    if page[_KIND] not in (_DATA_PAGE, _DATA_PAGE_V2) or head[encoding] not in _ENCODINGS:
        raise ValueError("a page of it has a kind or an encoding that no file of this package has")
    if head[_VALUES] < 0:
        raise ValueError("a page of it has less than no values")
    return head[_VALUES], head[encoding]


def _pages(group: Any, number: int, file: BufferedReader) -> Iterator[tuple[int, dict[int, Any]]]:
    """Where each page of a column in one group of rows begins behind its head, and that head."""
    if not group.num_rows:
        # It has no page of values, and none is looked for.
        return
    chunk = group.column(number)
    at = chunk.data_page_offset
    if chunk.has_dictionary_page and 0 < chunk.dictionary_page_offset < at:
        at = chunk.dictionary_page_offset
    end = at + chunk.total_compressed_size
    while at < end:
        file.seek(at)
        page = _struct(file)
        if min(page[_UNPACKED], page[_PACKED]) < 0:
            raise ValueError("a page of it has less than no bytes")
        at = file.tell()
        yield at, page
        at += page[_PACKED]


def _struct(file: BufferedReader, depth: int = 0) -> dict[int, Any]:
    """Thrift's compact form: the whole numbers and structs in it by their number; the rest is passed over."""
    if depth > 3:
        raise ValueError("the head of a page is too deep")
    fields: dict[int, Any] = {}
    number = 0
    while mark := file.read(1)[0]:
        number = number + (mark >> 4) if mark >> 4 else _zigzag(_varint(file))
        kind = mark & 15
        if kind in (4, 5, 6):
            fields[number] = _zigzag(_varint(file))
            if abs(fields[number]) > _INT32_MAX:
                # A reader of 32 bits would see another number.
                raise ValueError("a number in the head of a page is too large")
        elif kind == 8:
            file.seek(_varint(file), 1)
        elif kind == 12:
            fields[number] = _struct(file, depth + 1)
        elif kind == 3:
            file.seek(1, 1)
        elif kind not in (1, 2):
            raise ValueError("the head of a page has a field that pages have not")
    return fields


def _varint(file: BufferedReader) -> int:
    value = shift = 0
    while shift < 64:
        (byte,) = file.read(1)
        value |= (byte & 127) << shift
        if byte < 128:
            return value
        shift += 7
    raise ValueError("a number in the head of a page is too long")


def _zigzag(number: int) -> int:
    return (number >> 1) ^ -(number & 1)
