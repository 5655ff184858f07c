"""An empty file, a header alone, a file cut in half, a CSV named .parquet, a gzip of a CSV, an archive, a picture.

The bytes decide and the suffix is never trusted: what is a table is read as what it is, under any name. A header alone
is a table of no rows. What a name announces and the bytes are not is refused, saying what was detected; what announces
nothing is kept as an opaque file, and its note says it. Nothing is half registered.
"""

from __future__ import annotations

import gzip
import hashlib
from typing import Any

import pytest

from tests.support.contents import items, keys
from tests.support.moto_cloud import MotoCloud
from tests.support.odd_files import BINARY, PDF, PNG, arrow_file, json_lines, npy, parquet, zip_file
from tests.support.sessions import Answer, Session, problem_code
from tests.support.workbooks import workbook

ROWS = [{"n": number, "word": f"w{number}"} for number in range(500)]
COLUMNS: dict[str, Any] = {name: [row[name] for row in ROWS] for name in ("n", "word")}
CSV = b"n,word\n" + b"".join(b"%d,w%d\n" % (n, n) for n in range(500))
TABLES = {
    "csv": CSV,
    "csv.gz": gzip.compress(CSV, mtime=0),
    "jsonl": json_lines(ROWS),
    "json": b"[" + json_lines(ROWS).strip().replace(b"\n", b",") + b"]",
    "parquet": parquet(COLUMNS),
    "arrow": arrow_file(COLUMNS),
    "xlsx": workbook({"A": [["n", "word"], *([row["n"], row["word"]] for row in ROWS)]}),
}
# A form that has a mark of its end, so that half of it can be told.
WHOLE_OR_NOTHING = ("csv.gz", "json", "parquet", "arrow", "xlsx", "npy")
NPY = npy(list(range(500)))


def nothing_registered(cloud: MotoCloud) -> bool:
    return items(cloud, "art_") == [] and keys(cloud, "_derived/") == []


@pytest.mark.parametrize("suffix", ["parquet", "csv", "json", "png", "txt", "exe", ""])
@pytest.mark.parametrize("true", TABLES)
def test_a_table_under_any_name_is_read_as_what_it_is(node: Session, true: str, suffix: str) -> None:
    answer = node.register(f"file.{suffix}".rstrip("."), TABLES[true])
    assert answer["format"] == {"csv.gz": "csv", "jsonl": "json_lines", "xlsx": "excel"}.get(true, true)
    assert answer["profile"]["shape"] == {"rows": 500, "columns": 2}
    page = node.call("read_rows", reference=answer["reference"], offset=498)
    assert page["rows"] == [[498, "w498"], [499, "w499"]]


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.json", "a.csv.gz", "a.bin", "a"])
def test_a_file_of_no_bytes_is_refused(cloud: MotoCloud, node: Session, name: str) -> None:
    refused = node.register(name, b"")
    assert problem_code(refused) == "empty-file"
    assert "a header line is enough" in refused["problem"]["advice"]
    assert nothing_registered(cloud)


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("a.csv", b"n,word\n"),
        ("a.csv", b"n,word"),
        ("a.csv.gz", gzip.compress(b"n,word\n", mtime=0)),
        ("a.parquet", parquet({"n": [], "word": []})),
        ("a.arrow", arrow_file({"n": [], "word": []})),
    ],
    ids=["CSV", "CSV without its line end", "gzip", "Parquet", "Arrow"],
)
def test_a_header_alone_is_a_table_of_no_rows(node: Session, name: str, body: bytes) -> None:
    answer = node.register(name, body)
    assert answer["profile"]["shape"] == {"rows": 0, "columns": 2}
    page = node.call("read_rows", reference=answer["reference"])
    assert (page["rows"], page["total"], page["next_offset"]) == ([], 0, None)


@pytest.mark.parametrize("true", WHOLE_OR_NOTHING)
def test_half_of_a_file_is_refused_and_not_half_registered(cloud: MotoCloud, node: Session, true: str) -> None:
    body = (TABLES | {"npy": NPY})[true]
    refused = node.register(f"half.{true}", body[: len(body) // 2])
    assert problem_code(refused) == "unreadable-file"
    assert nothing_registered(cloud)


@pytest.mark.parametrize("true", ["csv", "jsonl"])
@pytest.mark.parametrize("what", ["size", "sha256", "rows"])
def test_half_of_a_text_is_told_by_what_was_announced_of_the_whole(
    cloud: MotoCloud, node: Session, true: str, what: str
) -> None:
    """Cut between two lines, it is a text like any other: nothing in it could say that lines are missing."""
    body = TABLES[true]
    half = body[: body.index(b"\n", len(body) // 2) + 1]
    whole = {"size": len(body), "sha256": hashlib.sha256(body).hexdigest(), "rows": 500}
    refused = node.register(f"half.{true}", half, **{what: whole[what]})
    assert problem_code(refused) == {"size": "size-mismatch", "sha256": "checksum-mismatch"}.get(what, "rows-mismatch")
    assert items(cloud, "art_") == []


OTHERS = {
    "a picture": PNG,
    "a document": PDF,
    "an archive": zip_file("a.csv"),
    "binary": BINARY,
    "an old workbook": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512),
    "a program": b"\x7fELF" + bytes(range(256)),
    "a web page": b"<!DOCTYPE html><html><body><table><tr><td>1</td></tr></table></body></html>",
    "an error of a storage": b'<?xml version="1.0"?>\n<Error><Code>AccessDenied</Code></Error>\n',
}


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.jsonl"])
@pytest.mark.parametrize("what", OTHERS)
def test_what_announces_a_table_and_holds_none_is_refused_saying_what_it_is(
    cloud: MotoCloud, node: Session, what: str, name: str
) -> None:
    refused = node.register(name, OTHERS[what])
    assert problem_code(refused) == "unreadable-file"
    assert refused["problem"]["detail"]
    assert nothing_registered(cloud)


@pytest.mark.parametrize("what", OTHERS)
def test_what_announces_nothing_is_kept_saying_what_it_is(node: Session, what: str) -> None:
    answer = node.register("file.dat", OTHERS[what])
    assert (answer["format"], answer["kind"], "profile" in answer) == ("other", "other", False)
    assert answer["note"]


def test_both_say_what_was_detected(node: Session) -> None:
    assert "PNG" in node.register("a.csv", PNG)["problem"]["detail"]
    assert "PNG" in node.register("file.dat", PNG)["note"]


def test_a_gzip_of_a_table_is_a_table_and_of_anything_else_is_none(node: Session) -> None:
    assert node.register("a", TABLES["csv.gz"])["format"] == "csv"
    assert node.register("b", gzip.compress(PNG, mtime=0))["format"] == "other"
    assert node.register("c", gzip.compress(gzip.compress(CSV, mtime=0), mtime=0))["format"] == "other"


def test_what_was_announced_as_a_kind_does_not_make_rows(node: Session) -> None:
    answer: Answer = node.register("picture.dat", PNG, kind="table")
    assert (answer["kind"], answer["format"]) == ("table", "other")
    assert problem_code(node.call("read_rows", reference=answer["reference"])) == "not-a-dataset"
