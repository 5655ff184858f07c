"""Compressed text is read as what it holds; what is damaged, or too large, is told."""

from __future__ import annotations

import bz2
import gzip
import struct
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest

from session_datasets.domain.errors import ProblemCode
from session_datasets.domain.profile import Format
from tests.support.laid_out import laid_out, problem_of, understood
from tests.support.odd_files import arrow_file, npy, parquet
from tests.support.workbooks import workbook

CSV = b"a,b\n" + b"".join(b"%d,%d\n" % (n, n * n) for n in range(100))
ROWS = [[n, n * n] for n in range(100)]
Pack = Callable[[bytes], bytes]


def zstd(data: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as packed:
        packed.write(data)
    return sink.getvalue().to_pybytes()


SKIPPABLE = struct.pack("<II", 0x184D2A53, 5) + b"notes"
PACKS: dict[str, Pack] = {"gzip": gzip.compress, "bz2": bz2.compress, "zstd": zstd}
EACH = pytest.mark.parametrize("kind", PACKS)


@EACH
@pytest.mark.parametrize(
    ("content", "found"),
    [
        (CSV, Format.CSV),
        (b'[{"a":1,"b":[2]}]', Format.JSON),
        (b'{"a":1}\n{"a":2}\n', Format.JSON_LINES),
        ("a,b\n1,é\n".encode("utf-16"), Format.CSV),
    ],
)
@pytest.mark.parametrize("name", ["rows", "rows.csv.gz"])
def test_compressed_text_is_what_its_content_is(kind: str, content: bytes, found: Format, name: str) -> None:
    dataset = laid_out(PACKS[kind](content), name)
    assert dataset.table.format is found
    assert dataset.rows == laid_out(content, "rows").rows
    assert dataset.profile.reading["compression"] == kind


@pytest.mark.parametrize("name", ["rows.csv.gz", "ROWS.CSV.BZ2", "rows.csv.zst", "rows.csv.zstd"])
@EACH
def test_the_name_promises_what_it_does_without_its_last_suffix(kind: str, name: str) -> None:
    problem = problem_of(PACKS[kind](b"\x00\x01\x02 no table"), name)
    assert problem.detail == "The file's name announces CSV, but its content is binary data of an unknown kind."


@EACH
def test_several_members_are_one_content(kind: str) -> None:
    pack = PACKS[kind]
    assert laid_out(pack(CSV[:40]) + pack(CSV[40:90]) + pack(b"") + pack(CSV[90:]), "rows").rows == ROWS


def test_frames_of_zstd_that_hold_notes_are_passed_over() -> None:
    assert laid_out(SKIPPABLE + zstd(CSV) + SKIPPABLE, "rows.csv.zst").rows == ROWS


@pytest.mark.parametrize("junk", [b"junk", b"a,b\n1,2\n" * 9], ids=["short", "long"])
@EACH
def test_what_follows_the_end_is_damage(kind: str, junk: bytes) -> None:
    problem = problem_of(PACKS[kind](CSV) + junk, "rows.csv.gz")
    assert problem.code is ProblemCode.UNREADABLE_FILE
    assert problem.advice == "Compress the file again, or upload it uncompressed, and register it."


def test_zeros_that_pad_a_gzip_are_passed_over() -> None:
    assert laid_out(gzip.compress(CSV) + bytes(512), "rows.csv.gz").rows == ROWS


@pytest.mark.parametrize("cut", [1, 5, 30])
@EACH
def test_an_end_that_is_missing_is_damage(kind: str, cut: int) -> None:
    assert problem_of(PACKS[kind](CSV)[:-cut], "rows.csv.gz").code is ProblemCode.UNREADABLE_FILE


@EACH
def test_a_second_member_without_its_end_is_damage(kind: str) -> None:
    pack = PACKS[kind]
    assert problem_of(pack(CSV) + pack(CSV)[:-1], "rows.csv.gz").code is ProblemCode.UNREADABLE_FILE


@EACH
def test_compressed_emptiness_is_empty(kind: str) -> None:
    problem = problem_of(PACKS[kind](b""), "rows.csv.gz")
    assert (problem.code, problem.detail) == (ProblemCode.EMPTY_FILE, f"The {kind} file holds no bytes.")


@EACH
def test_a_bomb_stops_at_the_bound(kind: str) -> None:
    bomb = PACKS[kind](b"a,b\n" + b"1,2\n" * 5_000_000)
    table = understood(bomb, "rows.csv.gz", bytes_max=1_000_000)
    assert (table.format, table.note) == (
        Format.OTHER,
        f"The uncompressed content of this {kind} file is larger than the 1,000,000 bytes that can be laid out as "
        "pages. It can be listed and loaded.",
    )


@pytest.mark.parametrize("outer", PACKS)
@pytest.mark.parametrize("inner", PACKS)
def test_compression_inside_compression_is_kept_opaque(outer: str, inner: str) -> None:
    note = understood(PACKS[outer](PACKS[inner](CSV)), "rows").note or ""
    assert note.startswith(f"This is {inner}-compressed data: it can be listed and loaded")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (parquet({"a": [1]}), "Parquet"),
        (arrow_file({"a": [1]}), "Arrow IPC"),
        (npy(np.arange(3)), "a NumPy array"),
        (workbook({"A": [["a"], [1]]}), "an Excel workbook"),
    ],
    ids=["parquet", "arrow", "npy", "xlsx"],
)
@EACH
def test_a_binary_format_that_is_compressed_as_a_whole_is_kept_with_advice(
    kind: str, content: bytes, words: str
) -> None:
    table = understood(PACKS[kind](content), "rows.parquet.gz")
    assert table.format is Format.OTHER
    assert table.note == (
        f"This is {words} inside a {kind} file, which can be listed and loaded, but has no rows that can be paged. "
        "Upload it as it is: it needs no compression around it."
    )


@pytest.mark.parametrize("word", ["BZh", "BZh9"])
def test_a_header_that_begins_like_bzip2_is_a_header(word: str) -> None:
    assert [*laid_out(f"{word},b\n1,2\n").types] == [word, "b"]
