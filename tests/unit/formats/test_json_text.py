"""How JSON arrays and JSON Lines are read, and what damage is called."""

from __future__ import annotations

import gzip
import json

import pytest

from session_datasets.domain.errors import ProblemCode
from session_datasets.domain.profile import Format
from session_datasets.formats.json import exact_parser as json_text
from session_datasets.formats.json import first_pass
from tests.support.laid_out import laid_out, problem_of, understood


@pytest.mark.parametrize("name", ["rows.json", "rows.jsonl", "rows.csv", "rows"])
def test_array_or_lines_is_decided_by_the_bytes_whatever_the_name(name: str) -> None:
    assert understood(b'[{"a":1}]', name).format is Format.JSON
    assert understood(b'{"a":1}\n{"a":2}\n', name).format is Format.JSON_LINES


def test_one_object_on_one_line_is_json_lines_of_one_row() -> None:
    assert laid_out('{"a":1}', "rows.json").rows == [[1]]


def test_one_object_over_several_lines_is_no_table() -> None:
    table = understood(b'{\n  "a": 1\n}\n', "config.json")
    assert (table.format, table.layout_name) == (Format.OTHER, None)
    assert table.note == "This is one JSON object: it can be listed and loaded, but has no rows that can be paged."


@pytest.mark.parametrize("text", [b"[1, 2]", b'["a"]', b'"text"', b"12.5", b"true", b"null", b"[[1],[2]]"])
def test_json_without_objects_is_no_table(text: bytes) -> None:
    table = understood(text, "values.json")
    assert (table.format, table.note) == (
        Format.OTHER,
        "This is a JSON document, but not an array of objects: it can be listed and loaded, "
        "but has no rows that can be paged.",
    )


def test_blank_lines_and_crlf_between_json_lines_are_no_rows() -> None:
    assert laid_out('\ufeff\n{"a":1}\r\n\r\n  \n{"a":2}', "rows.jsonl").rows == [[1], [2]]


def test_an_array_is_read_across_the_pieces_it_comes_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_text, "_PIECE_CHARACTERS", 7)
    rows = [{"a": n, "text": "é]},{[" * n} for n in range(40)]
    assert laid_out(json.dumps(rows, ensure_ascii=False), "rows.json").rows == [[r["a"], r["text"]] for r in rows]


def test_a_gzip_of_json_lines_is_read() -> None:
    assert laid_out(gzip.compress(b'{"a":1}\n{"a":2}\n'), "rows.jsonl.gz").rows == [[1], [2]]


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ('[{"a":1}', "The array after element 1 is not valid JSON: the file ends where ',' is expected."),
        ('[{"a":1},', "Element 2 of the array is not valid JSON: Expecting value, at its character 1."),
        ('[{"a":1},{"a"', "Element 2 of the array is not valid JSON: Expecting ':' delimiter, at its character 5."),
        ('[{"a":1},]', "Element 2 of the array is not valid JSON: Expecting value, at its character 1."),
        ('[{"a":1}{"a":2}]', "The array after element 1 is not valid JSON: '{' stands where ',' is expected."),
        ('[{"a":1}] x', "Something follows the end of the JSON array."),
        ('[{"a":1}, 7]', "Element 2 of the array is no object, so it has no columns."),
        ('[{"a":1,"a":2}]', "Element 1 of the array can not be read without loss: an object has the same key twice."),
        ('{"a":1}\n{"a":', "Line 2 is not valid JSON: Expecting value, at its character 6."),
        ('{"a":1}\n[1]\n', "Line 2 is no object, so it has no columns."),
        ('{"a":1}\n\n{"b":{"c":1,"c":2}}\n', "Line 3 can not be read without loss: an object has the same key twice."),
        ('{"a":' + "9" * 5_000 + "}", "Line 1 can not be read without loss: it has a number with too many digits."),
        ('{"a":' + "[" * 100_000 + "}", "Line 1 is nested too deeply."),
        ('[{"a":' + "[" * 100_000 + "]", "Element 1 of the array is nested too deeply."),
    ],
)
def test_damage_is_named_by_its_place(text: str, detail: str) -> None:
    problem = problem_of(text, "rows.json")
    assert (problem.code, problem.detail) == (ProblemCode.UNREADABLE_FILE, detail)


def test_half_a_surrogate_pair_is_replaced_and_said() -> None:
    dataset = laid_out('[{"a":"x\\ud800y"},{"a":"\\ud83d\\ude00"}]', "rows.json")
    assert dataset.column("a") == ["x\ufffdy", "😀"]
    assert dataset.table.note == "Texts with half a surrogate pair have U+FFFD in its place."


@pytest.mark.parametrize(
    "value",
    [
        '{"\\ud802":5,"\\ud803":6}',
        '{"\\ud802":5,"\ufffd":6}',
        '{"a":{"x\\ud802":5,"x\\ud803":6}}',
        '{"a":[1,{"b":{"\\udc00":null,"\\udc01":null}}]}',
    ],
)
@pytest.mark.parametrize(("text", "place"), [("{}\n", "Line 1"), ("[{}]", "Element 1 of the array")])
def test_keys_that_repairing_makes_equal_are_one_key_twice(value: str, text: str, place: str) -> None:
    problem = problem_of(text.format(value), "rows.json")
    assert (problem.code, problem.detail) == (
        ProblemCode.UNREADABLE_FILE,
        f"{place} can not be read without loss: an object has the same key twice.",
    )


def test_whole_surrogate_pairs_need_no_remark() -> None:
    assert laid_out('[{"a":"\\ud83d\\ude00"}]', "rows.json").table.note is None


@pytest.mark.parametrize("text", ['{{"a":"{0}"}}\n', '[{{"a":"{0}"}}]'])
def test_a_record_as_long_as_allowed_is_read_and_a_longer_one_refused(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_text, "_PIECE_CHARACTERS", 100)
    monkeypatch.setattr(json_text, "RECORD_CHARACTERS_MAX", 2_000)
    assert laid_out(text.format("x" * 1_900), "rows.json").rows == [["x" * 1_900]]
    problem = problem_of(text.format("x" * 8_000), "rows.json")
    assert problem.detail.endswith("is longer than the 2,000 characters that one record may have.")


def test_more_keys_than_allowed_columns_make_an_opaque_file() -> None:
    lines = b'{"a":1,"b":2}\n{"c":3}\n'
    assert list(laid_out(lines, "rows.jsonl", columns_max=3).types) == ["a", "b", "c"]
    table = understood(lines, "rows.jsonl", columns_max=2)
    assert (table.format, table.layout_name) == (Format.OTHER, None)
    assert "more than 2 different keys" in (table.note or "")


def test_objects_that_share_no_keys_are_not_made_a_table_of_empty_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_pass, "SPARSE_CELLS_MIN", 10_000)
    sparse = json.dumps([{f"k{number}": number} for number in range(1_000)]).encode()
    table = understood(sparse, "rows.json")
    assert (table.format, table.layout_name) == (Format.OTHER, None)
    assert "share too few keys" in (table.note or "")


def test_objects_of_some_keys_among_many_are_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_pass, "SPARSE_CELLS_MIN", 10_000)
    some = json.dumps([{f"k{(number + key) % 200}": key for key in range(10)} for number in range(1_000)])
    found = laid_out(some, "rows.json")
    assert (found.profile.shape.rows, found.profile.shape.columns) == (1_000, 200)
