"""Parquet and Arrow files of the kinds that broke readers before: each is read exactly, kept, or refused."""

from __future__ import annotations

import decimal

import pyarrow as pa
import pytest

from tests.corpora.outcomes import Kept, Outcome, Read, Refused, require
from tests.corpora.parquet_oddities import BROKEN
from tests.support.laid_out import laid_out, understood
from tests.support.odd_files import arrow_file, arrow_stream, parquet

ROWS = "The rows of this Parquet file can not be decoded."
FOOTER = "The footer of this Parquet file can not be read."
BROKEN_OUTCOMES: dict[str, Outcome] = {
    "a dictionary page with a negative number of values": Refused(ROWS),
    "a dictionary page with two billion values": Kept("bytes of memory, too many for its rows to be paged"),
    "places outside the dictionary": Refused(ROWS),
    "places of more bits than there are": Refused(ROWS),
    "a page with more values than it holds": Refused(ROWS),
    "a page with a negative number of values": Refused(ROWS),
    "a page of a negative size": Refused(ROWS),
    "a page larger than its file": Refused(ROWS),
    "a page that claims to uncompress to two gigabytes": Refused(ROWS),
    "a page that claims to uncompress to less than it does": Refused(ROWS),
    "columns of different lengths": Refused(ROWS),
    "an unknown encoding": Refused(ROWS),
    "an unknown type in the schema": Refused(FOOTER),
    "an element count of billions": Refused(FOOTER),
    "a footer longer than its file": Refused(FOOTER),
    "a footer of no bytes": Refused(FOOTER),
    "a footer that was overwritten": Refused(FOOTER),
    "bytes missing in the middle": Refused(ROWS),
    "the encryption mark at both ends": Refused("its content is an encrypted Parquet file"),
    "lists that begin in the middle of a row": Refused(ROWS),
    "lists with fewer rows than the footer says": Refused("announces 900 rows where it holds 888"),
    "a page that does not match its checksum": Refused(ROWS),
    # Arrow throws through Python when it is asked for this column's metadata, which ends the process.
    "a required column with nulls": Refused("ended the reader: the file is damaged"),
    "a column that begins outside its file": Refused(ROWS),
    "more rows than any file has": Refused("announces 4,611,686,018,427,387,904 rows where it holds 1,000"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_parquet_file_is_kept_or_refused(name: str) -> None:
    require(BROKEN_OUTCOMES[name], BROKEN[name](), "rows.parquet")


def test_the_next_file_is_served_after_every_broken_one() -> None:
    good = parquet({"a": [1, 2]})
    for broken in BROKEN.values():
        understood(broken(), "rows")
        assert laid_out(good, "rows.parquet").rows == [[1], [2]]


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_takes_none_of_our_memory(name: str) -> None:
    data = BROKEN[name]()
    before = pa.total_allocated_bytes()
    understood(data, "rows")
    assert pa.total_allocated_bytes() - before < 1_000_000


D = decimal.Decimal
ZONES = {"a": "Asia/Kolkata", "b": "UTC"}
PARQUET: dict[str, tuple[bytes, Outcome]] = {
    "no rows": (parquet({"a": pa.array([], pa.int32())}), Read({"a": "int32"}, [])),
    "no row groups": (
        parquet(pa.table({"a": pa.array([], pa.string())}).slice(0, 0)), Read({"a": "string"}, [])
    ),
    "a column of nulls": (parquet({"a": pa.nulls(3, pa.float64())}), Read({"a": "double"}, [[None]] * 3)),
    "pages of nulls alone": (
        parquet({"a": [None] * 50 + [1]}, data_page_size=1, write_batch_size=10),
        Read({"a": "int64"}, [[None]] * 50 + [[1]]),
    ),
    "an empty list in every row": (parquet({"a": pa.array([[], []], pa.list_(pa.int8()))}),
                                   Read({"a": "list<item: int8>"}, [[[]], [[]]])),
    "lists of lists": (parquet({"a": [[[1], []], None, [None]]}, store_schema=False),
                       Read({"a": "list<item: list<item: int64>>"}, [[[[1], []]], [None], [[None]]])),
    "a map without values": (parquet({"a": pa.array([[(1, None)], []], pa.map_(pa.int32(), pa.int32()))}),
                             Read({"a": "map<int32, int32>"}, [[[[1, None]]], [[]]])),
    "NaN in a column with statistics": (parquet({"a": [1.5, float("nan"), float("-inf")]}),
                                        Read({"a": "double"}, [[1.5], ["NaN"], ["-Infinity"]])),
    "float16 with NaN and both zeros": (parquet({"a": pa.array([0.0, -0.0, float("nan")], pa.float16())}),
                                        Read({"a": "halffloat"}, [[0.0], [-0.0], ["NaN"]])),
    "int96 times beyond nanoseconds": (
        parquet({"a": pa.array([0], pa.timestamp("ns"))}, use_deprecated_int96_timestamps=True),
        Read({"a": "timestamp[ns]"}, [["1970-01-01T00:00:00.000000000"]]),
    ),
    "decimals in bytes": (parquet({"a": pa.array([D("-1.20"), D("99999999999999999999.99")], pa.decimal128(22, 2))}),
                          Read({"a": "decimal128(22, 2)"}, [["-1.20"], ["99999999999999999999.99"]])),
    "small decimals in integers": (
        parquet({"a": pa.array([D("1.5"), None], pa.decimal128(5, 1))}, store_decimal_as_integer=True),
        Read({"a": "decimal128(5, 1)"}, [["1.5"], [None]]),
    ),
    "truth values in runs": (
        parquet({"a": [True] * 9 + [False, None]}, column_encoding={"a": "RLE"}, use_dictionary=False),
        Read({"a": "bool"}, [[True]] * 9 + [[False], [None]]),
    ),
    "texts by their differences": (
        parquet({"a": ["apple", "applet", None, ""]}, column_encoding={"a": "DELTA_BYTE_ARRAY"}, use_dictionary=False),
        Read({"a": "string"}, [["apple"], ["applet"], [None], [""]]),
    ),
    "bytes split in streams": (
        parquet({"a": [1.5, -2.25]}, column_encoding={"a": "BYTE_STREAM_SPLIT"}, use_dictionary=False),
        Read({"a": "double"}, [[1.5], [-2.25]]),
    ),
    "pages of version 2, compressed to nothing": (parquet({"a": pa.nulls(2, pa.int32())}, data_page_version="2.0",
                                                          compression="zstd"), Read({"a": "int32"}, [[None]] * 2)),
    "checksums that match": (parquet({"a": [7]}, write_page_checksum=True), Read({"a": "int64"}, [[7]])),
    "unsigned integers at their ends": (parquet({"a": pa.array([0, 2**64 - 1], pa.uint64())}),
                                        Read({"a": "uint64"}, [["0"], ["18446744073709551615"]])),
    "names with dots, blanks and none": (
        parquet(pa.table([[1], [2], [3]], ["a.b", " ", ""])),
        Read({"a.b": "int64", " ": "int64", "column_3": "int64"}, [[1, 2, 3]], "Columns without a name of their own"),
    ),
    "times of two zones": (
        parquet({name: pa.array([0], pa.timestamp("ms", zone)) for name, zone in ZONES.items()}),
        Read({"a": "timestamp[ms, tz=Asia/Kolkata]", "b": "timestamp[ms, tz=UTC]"}, [["1970-01-01T00:00:00.000Z"] * 2]),
    ),
    "the index of a data frame": (
        parquet(pa.Table.from_pydict({"a": [1], "__index_level_0__": ["x"]})),
        Read({"a": "int64", "__index_level_0__": "string"}, [[1, "x"]]),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PARQUET)
def test_an_odd_parquet_file_is_read_as_it_says(name: str) -> None:
    data, outcome = PARQUET[name]
    require(outcome, data, "rows.parquet")


ARROW: dict[str, tuple[bytes, Outcome]] = {
    "no batches": (arrow_stream(pa.table({"a": pa.array([], pa.int8())})), Read({"a": "int8"}, [])),
    "batches of no rows": (arrow_file({"a": [1]}, batch_rows=1), Read({"a": "int64"}, [[1]])),
    "metadata of version 4": (arrow_file({"a": [1, None]}, metadata_version=pa.ipc.MetadataVersion.V4),
                              Read({"a": "int64"}, [[1], [None]])),
    "a dictionary without values": (
        arrow_stream({"a": pa.DictionaryArray.from_arrays(pa.nulls(2, pa.int8()), pa.array([], pa.string()))}),
        Read({"a": "string"}, [[None], [None]]),
    ),
    "a dictionary of integers beyond a double": (
        arrow_file({"a": pa.array([2**60, 2**60]).dictionary_encode()}),
        Read({"a": "int64"}, [["1152921504606846976"]] * 2),
    ),
    "an extension type that nobody knows": (
        arrow_file({"a": pa.ExtensionArray.from_storage(pa.opaque(pa.int16(), "odd", "x"), pa.array([1], pa.int16()))}),
        Read({"a": "int16"}, [[1]]),
    ),
    "decimals of 32 and 256 bits": (
        arrow_file({"a": pa.array([D("1.5")], pa.decimal32(5, 1)), "b": pa.array([D(10**60)], pa.decimal256(76, 0))}),
        Read({"a": "decimal32(5, 1)", "b": "decimal256(76, 0)"}, [["1.5", "1" + "0" * 60]]),
    ),
    "date64 and times of day": (
        arrow_file({"a": pa.array([86_400_000], pa.date64()), "b": pa.array([1], pa.time64("ns"))}),
        Read({"a": "date64[ms]", "b": "time64[ns]"}, [["1970-01-02", "00:00:00.000000001"]]),
    ),
    "the same name twice": (
        arrow_file(pa.table([[1], [2]], ["a", "a"])),
        Read({"a": "int64", "a_2": "int64"}, [[1, 2]], "Columns without a name of their own"),
    ),
    "the mark of a stream alone": (b"\xff\xff\xff\xff\x00\x00\x00\x00", Kept("binary data of an unknown kind")),
    "the mark of a file alone": (b"ARROW1\x00\x00" * 2, Kept("has no footer: it is cut off")),
}  # fmt: skip


@pytest.mark.parametrize("name", ARROW)
def test_an_odd_arrow_file_is_read_as_it_says(name: str) -> None:
    data, outcome = ARROW[name]
    require(outcome, data, "rows")
