"""A CSV whose type changes at row 600,001, with leading zeros, in UTF-16 or Latin-1, with line ends in quotes, ragged
rows, repeated or missing names, ten thousand columns, or one cell of fifty megabytes.

One schema is decided at registration by written rules (docs/typing.md), over every row: leading zeros stay text,
repeated names are renamed and that is said, rows are counted as the parser counts them, and cells that do not fit a
page are clipped and flagged. There is a cap of columns, and it is told.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from session_datasets.domain.limits import LAMBDA_REPLY_BYTES_MAX, MIB, TABLE_COLUMNS_MAX
from tests.support.sessions import Answer, Session, problem_code


def types(answer: Answer) -> dict[str, str]:
    return {column["name"]: column["type"] for column in answer["profile"]["columns"]}


def rows(node: Session, answer: Answer, **more: Any) -> list[list[Any]]:
    found: list[list[Any]] = node.call("read_rows", reference=answer["reference"], **more)["rows"]
    return found


@pytest.mark.parametrize(
    ("last", "type_"), [(b"7", "int64"), (b"7.5", "double"), (b"n/a", "string"), (b"007", "string")], ids=str
)
def test_the_very_last_of_600001_rows_decides_with_the_others(node: Session, last: bytes, type_: str) -> None:
    answer = node.register("a.csv", b"n\n" + b"1\n" * 600_000 + last + b"\n")
    assert (types(answer), answer["profile"]["shape"]["rows"]) == ({"n": type_}, 600_001)
    first, end = rows(node, answer, limit=1), rows(node, answer, offset=600_000)
    expected = {"int64": [1, 7], "double": [1.0, 7.5], "string": ["1", last.decode()]}[type_]
    assert [first, end] == [[[expected[0]]], [[expected[1]]]]


@pytest.mark.parametrize("text", ["007", "00", "01234", "-01", "0001.5"])
def test_leading_zeros_stay_as_they_were_written(node: Session, text: str) -> None:
    answer = node.register("a.csv", f"code\n{text}\n98765\n".encode())
    assert types(answer) == {"code": "string"}
    assert rows(node, answer) == [[text], ["98765"]]


WORDS = "stadt,preis\nKöln,5\nZürich,6\n"


@pytest.mark.parametrize(
    "body",
    [
        WORDS.encode(),
        WORDS.encode("utf-8-sig"),
        WORDS.encode("utf-16"),
        WORDS.encode("utf-16-be"),
        WORDS.encode("utf-32"),
        WORDS.encode("latin-1"),
        WORDS.encode("cp1252"),
    ],
    ids=["UTF-8", "with a mark", "UTF-16", "without a mark", "UTF-32", "Latin-1", "Windows"],
)
def test_the_encoding_is_detected_and_the_mark_is_no_part_of_a_name(node: Session, body: bytes) -> None:
    answer = node.register("a.csv", body)
    assert types(answer) == {"stadt": "string", "preis": "int64"}
    assert rows(node, answer) == [["Köln", 5], ["Zürich", 6]]


def test_rows_are_counted_as_the_parser_counts_them_and_not_as_lines(node: Session) -> None:
    answer = node.register("a.csv", b'a,b\n1,"one\ntwo\n\nthree"\n2,"x"\n\n3,y\n', rows=3)
    assert answer["profile"]["shape"]["rows"] == 3
    assert rows(node, answer) == [[1, "one\ntwo\n\nthree"], [2, "x"], [3, "y"]]


def test_a_few_ragged_rows_keep_all_their_fields_and_are_told(node: Session) -> None:
    answer = node.register("a.csv", b"a,b\n" + b"1,2\n" * 50 + b"3\n" + b"4,5,6\n")
    assert answer["profile"]["shape"] == {"rows": 52, "columns": 3}
    assert rows(node, answer, offset=50) == [[3, None, None], [4, 5, "6"]]
    assert "do not have the header's 2 fields: 2" in answer["note"]


def test_lines_that_are_no_table_are_refused_under_its_name(node: Session) -> None:
    assert problem_code(node.register("a.csv", b"a,b,c\n1\n1,2,3,4,5,6\n\n1,2\n9,9,9,9\n")) == "unreadable-file"


def test_names_that_repeat_or_are_missing_are_renamed_visibly(node: Session) -> None:
    answer = node.register("a.csv", b"x,x,,x_2,\n1,2,3,4,5\n")
    names = list(types(answer))
    assert len(set(names)) == len(names) == 5
    assert all(names)
    assert "renamed" in answer["note"]
    for place, name in enumerate(names):
        assert rows(node, answer, columns=[name]) == [[place + 1]]


def wide(columns: int) -> bytes:
    header = ",".join(f"c{number}" for number in range(columns))
    return (header + "\n" + ",".join(["1"] * columns) + "\n").encode()


def test_the_cap_of_columns_pages_and_one_more_is_kept_and_told(node: Session) -> None:
    answer = node.register("a.csv", wide(TABLE_COLUMNS_MAX))
    assert answer["profile"]["shape"]["columns"] == TABLE_COLUMNS_MAX == 10_000
    page = node.call("read_rows", reference=answer["reference"])
    assert (len(page["columns"]), len(page["rows"][0])) == (10_000, 10_000)
    over = node.register("b.csv", wide(TABLE_COLUMNS_MAX + 1))
    assert (over["format"], "profile" in over) == ("other", False)
    assert over["note"].startswith("This CSV has 10,001 columns, more than the 10,000 that can be paged.")


def test_a_cell_of_fifty_megabytes_is_clipped_and_flagged_and_loads_whole(node: Session) -> None:
    cell = b"x" * (50 * MIB)
    answer = node.register("a.csv", b"n,text\n1," + cell + b"\n2,short\n")
    page = node.call("read_rows", reference=answer["reference"])
    assert page["clipped"] == [{"row": 0, "column": 1, "characters": 50 * MIB}]
    assert (page["rows"][0][0], page["rows"][0][1][:3]) == (1, "xxx")
    assert len(json.dumps(page)) < LAMBDA_REPLY_BYTES_MAX
    following = node.call("read_rows", reference=answer["reference"], offset=1)
    assert (following["rows"], following["clipped"]) == ([[2, "short"]], [])
    assert len(json.dumps(answer)) < 10_000
    assert node.call("load_artifact", reference=answer["reference"])["size"] > 50 * MIB


@pytest.mark.parametrize(
    ("body", "delimiter"),
    [(b"a;b\n1,5;x\n2,5;y\n", ";"), (b"a\tb\n1\tx\n2\ty\n", "\t"), (b"a|b\n1|x\n2|y\n", "|")],
    ids=["semicolon", "tab", "pipe"],
)
def test_the_delimiter_is_detected_and_said(node: Session, body: bytes, delimiter: str) -> None:
    answer = node.register("a.csv", body)
    assert answer["profile"]["shape"]["columns"] == 2
    assert answer["profile"]["reading"]["delimiter"] == delimiter


def test_a_zero_byte_ends_no_cell(node: Session) -> None:
    answer = node.register("a.csv", b"a,b\n1,x\x00y\n2,z\n")
    if "problem" in answer:
        assert problem_code(answer) == "unreadable-file"
    else:
        assert rows(node, answer) == [[1, "x\0y"], [2, "z"]]


def test_the_schema_once_decided_is_that_of_every_page(node: Session) -> None:
    answer = node.register("a.csv", b"n\n" + b"1\n" * 20_000 + b"1.5\n" + b"2\n" * 20_000)
    pages = [node.call("read_rows", reference=answer["reference"], offset=at, limit=1) for at in (0, 20_000, 40_000)]
    assert [page["columns"] for page in pages] == [[{"name": "n", "type": "double"}]] * 3
    assert [page["rows"] for page in pages] == [[[1.0]], [[1.5]], [[2.0]]]
