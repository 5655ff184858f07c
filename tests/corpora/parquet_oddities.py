"""Odd and broken Parquet files, of the kinds that Parquet's and Arrow's own test corpora hold, made anew.

Every one is written by Arrow and then bent in a few bytes. Page headers and footers are Thrift, compact protocol:
``0x15`` is an integer in the next field, zigzag encoded, so 1,000 values are ``d0 0f``, 2 are ``04`` and -2 are ``03``.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import pyarrow as pa

from tests.support.odd_files import parquet

PLAIN = {"compression": "none", "use_dictionary": False, "write_statistics": False, "store_schema": False}


def zigzag(number: int) -> bytes:
    """A 64-bit integer as compact Thrift spells it."""
    rest = ((number << 1) ^ (number >> 63)) & (2**64 - 1)
    spelled = bytearray()
    while rest > 127:
        spelled.append(rest & 127 | 128)
        rest >>= 7
    return bytes([*spelled, rest])


def bent(data: bytes, old: bytes, new: bytes, times: int | None = 1) -> bytes:
    """``old`` replaced where it stands first, or everywhere (``times`` None)."""
    assert old in data, old.hex()
    return data.replace(old, new, -1 if times is None else times)


def footer_bent(data: bytes, old: bytes, new: bytes) -> bytes:
    """The same in the footer alone, whose length is put right."""
    length = struct.unpack("<I", data[-8:-4])[0]
    footer = bent(data[-8 - length : -8], old, new)
    return data[: -8 - length] + footer + struct.pack("<I", len(footer)) + b"PAR1"


def integers(**options: Any) -> bytes:
    return parquet({"a": pa.array(range(1_000), pa.int64())}, **{**PLAIN, **options})


def texts() -> bytes:
    return parquet({"a": ["x", "y"] * 500}, **{**PLAIN, "use_dictionary": True})


def lists() -> bytes:
    return parquet({"a": [[1, 2, 3], [4], [5, 6]] * 300}, **PLAIN)


def zeros(claimed: int) -> bytes:
    """A page whose header claims to uncompress to ``claimed`` bytes."""
    data = parquet({"a": pa.array([0] * 20_000, pa.int64())}, **{**PLAIN, "compression": "zstd"})
    size = zigzag(20_000 * 8 + 8)
    return bent(data, b"\x15" + size, b"\x15" + zigzag(claimed))


def required_with_nulls() -> bytes:
    """Definition levels for a column that is declared to have none."""
    data = parquet({"a": pa.array([1, None] * 500, pa.int64())}, **PLAIN)
    return footer_bent(data, b"\x15\x04\x25\x02\x18\x01a", b"\x15\x04\x25\x00\x18\x01a")


def encrypted_magic() -> bytes:
    data = integers()
    return b"PARE" + data[4:-4] + b"PARE"


def huge_footer() -> bytes:
    return integers()[:-8] + struct.pack("<I", 2**32 - 1) + b"PAR1"


def two_columns() -> bytes:
    return parquet({"a": pa.array(range(1_000), pa.int64()), "b": pa.array(range(1_000), pa.int64())}, **PLAIN)


def one_column_shorter() -> bytes:
    """The pages and the chunk of the second column say 500 values, the row group 1,000 rows."""
    data = two_columns()
    at = data.rfind(b"\x2c\x15" + zigzag(1_000))
    return data[:at] + b"\x2c\x15" + zigzag(500) + data[at + 4 :]


def many_groups() -> bytes:
    return parquet({"a": range(300)}, row_group_size=1, **PLAIN)


# Name, bytes: what Arrow's readers crashed on, hung on or took for good once.
BROKEN: dict[str, Callable[[], bytes]] = {
    "a dictionary page with a negative number of values": lambda: bent(texts(), b"\x4c\x15\x04", b"\x4c\x15\x03"),
    "a dictionary page with two billion values": lambda: bent(
        texts(), b"\x4c\x15\x04", b"\x4c\x15" + zigzag(2**31 - 1)
    ),
    "places outside the dictionary": lambda: bent(texts(), b"\x01\x7f\xaa\xaa", b"\x08\x7f\xaa\xaa"),
    "places of more bits than there are": lambda: bent(texts(), b"\x01\x7f\xaa\xaa", b"\xff\x7f\xaa\xaa"),
    "a page with more values than it holds": lambda: bent(
        integers(), b"\x2c\x15" + zigzag(1_000), b"\x2c\x15" + zigzag(2_000)
    ),
    "a page with a negative number of values": lambda: bent(
        integers(), b"\x2c\x15" + zigzag(1_000), b"\x2c\x15" + zigzag(-1_000)
    ),
    "a page of a negative size": lambda: bent(integers(), zigzag(8_007), zigzag(-8_007), None),
    "a page larger than its file": lambda: bent(integers(), zigzag(8_007), zigzag(2**31 - 1), None),
    "a page that claims to uncompress to two gigabytes": lambda: zeros(2**31 - 1),
    "a page that claims to uncompress to less than it does": lambda: zeros(1_000),
    "columns of different lengths": one_column_shorter,
    "an unknown encoding": lambda: bent(integers(), b"\x2c\x15\xd0\x0f\x15\x00", b"\x2c\x15\xd0\x0f\x15\x7e"),
    "an unknown type in the schema": lambda: footer_bent(
        integers(), b"\x15\x04\x25\x02\x18\x01a", b"\x15\x7e\x25\x02\x18\x01a"
    ),
    "an element count of billions": lambda: footer_bent(integers(), b"\x19\x2c", b"\x19\xfc" + b"\xff\xff\xff\xff\x0f"),
    "a footer longer than its file": huge_footer,
    "a footer of no bytes": lambda: integers()[:-8] + bytes(4) + b"PAR1",
    "a footer that was overwritten": lambda: integers()[:-60] + bytes(52) + integers()[-8:],
    "bytes missing in the middle": lambda: integers()[:2_000] + integers()[4_000:],
    "the encryption mark at both ends": encrypted_magic,
    "lists that begin in the middle of a row": lambda: bent(lists(), b"\x7f\xa6\x69", b"\x7f\xa7\x69"),
    "lists with fewer rows than the footer says": lambda: bent(lists(), b"\x9a\xa6\x69", b"\xff\xff\xff"),
    "a page that does not match its checksum": lambda: bent(
        integers(write_page_checksum=True), struct.pack("<q", 500), struct.pack("<q", 501)
    ),
    "a required column with nulls": required_with_nulls,
    "a column that begins outside its file": lambda: footer_bent(
        integers(), b"\x26\x08\x49\x1c", b"\x26" + zigzag(10**9) + b"\x49\x1c"
    ),
    "more rows than any file has": lambda: footer_bent(
        integers(), b"\x16\xd0\x0f\x19\x1c", b"\x16" + zigzag(2**62) + b"\x19\x1c"
    ),
}
