"""Names of files and of columns."""

from __future__ import annotations

import ast
import csv
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from session_datasets.domain import numbered_names
from session_datasets.materialize import materialize_result
from session_datasets.materialize.names import alike, column_names, file_name_of, free_name
from session_datasets.materialize.refusals import InvalidMaterializeError, UnsafeFileNameError
from tests.unit.materialize.conftest import Saving


@pytest.mark.parametrize(
    ("wished", "name"),
    [
        ("sales.csv", "sales.csv"),
        ("/sales.csv", "sales.csv"),
        ("sales", "sales.csv"),
        ("Übersicht 2026.csv", "Übersicht 2026.csv"),
        ("U\u0308bersicht.csv", "Übersicht.csv"),
        ("数据.csv", "数据.csv"),
        ("console.csv", "console.csv"),
        ("v1.2.csv", "v1.2.csv"),
    ],
)
def test_a_plain_name_is_kept(wished: str, name: str) -> None:
    assert file_name_of(wished, "csv") == name


@pytest.mark.parametrize(
    ("wished", "reason", "nearest"),
    [
        ("", "is empty", "result.csv"),
        (".", "is empty", "result.csv"),
        ("..", "is empty", "result.csv"),
        ("../sales.csv", "has a separator of folders", "sales.csv"),
        ("a/b.csv", "has a separator of folders", "b.csv"),
        ("//sales.csv", "has a separator of folders", "sales.csv"),
        ("a\\b.csv", "has a separator of folders", "b.csv"),
        ("C:sales.csv", "has a separator of folders", "sales.csv"),
        ("sales\n.csv", "has characters that do not print", "sales.csv"),
        ("sal\0es.csv", "has characters that do not print", "sales.csv"),
        ("sales\u202ecsv.exe", "has characters that do not print", "salescsv.csv"),
        ("\ud800.csv", "has characters that do not print", "csv.csv"),
        (".hidden.csv", "begins or ends with a dot", "hidden.csv"),
        ("-rf.csv", "begins or ends with a dot", "rf.csv"),
        ("sales.csv.", "begins or ends with a dot", "sales.csv"),
        ("nul", "is kept for a device", "result.csv"),
        ("COM1.csv", "is kept for a device", "result.csv"),
        ("aux.tar.gz", "is kept for a device", "result.csv"),
        (300 * "x", "is longer than 247 bytes", 200 * "x" + ".csv"),
        (100 * "数", "is longer than 247 bytes", 66 * "数" + ".csv"),
    ],
    ids=repr,
)
def test_any_other_is_refused_with_the_nearest_plain_one(wished: str, reason: str, nearest: str) -> None:
    with pytest.raises(UnsafeFileNameError, match=reason) as refused:
        file_name_of(wished, "csv")
    assert refused.value.advice == f"Call again with filename={nearest!r}, or without one."


@given(st.text(max_size=300))
def test_a_name_that_is_taken_or_offered_is_safe(wished: str) -> None:
    try:
        name = file_name_of(wished, "csv")
    except UnsafeFileNameError as refused:
        name = ast.literal_eval(
            refused.advice.removeprefix("Call again with filename=").removesuffix(", or without one.")
        )
        assert file_name_of(name, "csv") == name
    assert len(name.encode()) <= 255
    assert Path(name).name == name


def test_names_that_are_made_are_unique_and_have_the_formats_suffix() -> None:
    made = {file_name_of(None, "parquet") for _ in range(100)}
    assert len(made) == 100
    assert {Path(name).suffix for name in made} == {".parquet"}


def test_a_name_that_is_taken_gets_the_first_free_number() -> None:
    assert free_name("a.csv", {"a.csv", "a-2.csv"}) == "a-3.csv"
    assert free_name("a.csv", set()) == "a.csv"


@pytest.mark.parametrize(
    ("first", "second"), [("Sales.csv", "sales.CSV"), ("é.csv", "e\u0301.csv"), ("STRASSE", "straße")]
)
def test_names_that_a_file_system_may_take_for_one_are_alike(first: str, second: str) -> None:
    assert alike(first) == alike(second)


@pytest.mark.parametrize(
    ("columns", "names"),
    [
        (["a", "b"], ["a", "b"]),
        (["a", "a", "a"], ["a", "a_2", "a_3"]),
        (["a", "a", "a_2"], ["a", "a_3", "a_2"]),
        (["", "x", ""], ["column_1", "x", "column_3"]),
        ([1, None, 2.5], ["1", "column_2", "2.5"]),
        (["a", "A"], ["a", "A"]),
        (["with,comma", 'quo"te', "line\nend", "数"], ["with,comma", 'quo"te', "line\nend", "数"]),
        (["\ud800"], ["\ufffd"]),
        (["\ud800", "\ufffd"], ["\ufffd_2", "\ufffd"]),
        (["\0", "\ufffd", "a\0"], ["\ufffd_2", "\ufffd", "a\ufffd"]),
        ([1, "1"], ["1_2", "1"]),
        ([object], ["<class 'object'>"]),
    ],
    ids=repr,
)
def test_columns_have_distinct_texts_for_names(columns: list[object], names: list[str]) -> None:
    found, notes = column_names(columns, "csv")
    assert found == names
    assert len(notes) == sum(name != column for name, column in zip(names, columns, strict=True))


@pytest.mark.parametrize(
    "columns",
    [["a"] * 2_000, ["a"] * 1_000 + [f"a_{n}" for n in range(1_000)], [f"a_{n % 2}" for n in range(2_000)]],
    ids=["one name", "one name and its siblings", "two names"],
)
def test_no_sibling_of_a_name_is_tried_twice(columns: list[object], monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []

    def numbered(name: str, number: int) -> str:
        tried.append(f"{name}_{number}")
        return tried[-1]

    monkeypatch.setattr(numbered_names, "numbered", numbered)
    found, _ = column_names(columns, "csv")
    assert len(set(found)) == len(columns)
    assert len(set(tried)) == len(tried)
    assert len(tried) < 2 * len(columns)


def test_a_column_that_was_renamed_is_told(save: Saving) -> None:
    result = save(["a", "a"], [(1, 2)])
    assert result.preview == [{"a": 1, "a_2": 2}]
    assert result.notes == ["Column 2 was named 'a' and is 'a_2' now."]
    assert result.notes[0] in result.to_summary()


def test_parquet_keeps_a_nul_in_a_name() -> None:
    assert column_names(["\0", "\ufffd"], "parquet") == (["\0", "\ufffd"], [])


_NAMES = st.lists(
    st.text(max_size=3) | st.text(st.sampled_from("\0\ufffd\ud800_2a"), max_size=3), min_size=1, max_size=6
)


@pytest.mark.parametrize("fmt", ["csv", "parquet"])
@settings(max_examples=60)
@given(columns=_NAMES, text=st.text(max_size=5))
def test_the_columns_and_the_preview_are_those_of_the_file(
    fmt: str, tmp_path_factory: pytest.TempPathFactory, columns: list[str], text: str
) -> None:
    row = [text] * len(columns)
    result = materialize_result(columns, [row], tmp_path_factory.mktemp("names"), fmt=fmt)
    if fmt == "csv":
        with Path(result.path).open(encoding="utf-8", newline="") as file:
            held = list(csv.reader(file))
    else:
        table = pq.read_table(result.path)
        held = [table.column_names, [column[0].as_py() for column in table.columns]]
    assert held[0] == result.columns
    assert [dict(zip(*held, strict=True))] == result.preview
    assert len(set(result.columns)) == len(columns)
    # Whatever is not as it was given is told.
    renamed = sum(name != column for name, column in zip(result.columns, columns, strict=True))
    assert sum(note.startswith("Column ") for note in result.notes) == renamed


MANY = [f"c{n}" for n in range(10_001)]


@pytest.mark.parametrize("columns", [[], (), "ab", b"ab", MANY], ids=["list", "tuple", "str", "bytes", "many"])
def test_columns_that_are_none_are_refused_before_a_row_is_pulled(save: Saving, columns: Any) -> None:
    def rows() -> Any:
        raise AssertionError("pulled")
        yield

    with pytest.raises(InvalidMaterializeError):
        save(columns, rows())


@pytest.mark.parametrize("fmt", ["csv", "parquet"])
def test_no_rows_are_a_valid_file_with_its_columns(save: Saving, fmt: str) -> None:
    result = save(["a", "b"], [], fmt=fmt)
    assert (result.row_count, result.preview, result.stats, result.truncated) == (0, [], {}, False)
    if fmt == "csv":
        assert Path(result.path).read_bytes() == b"a,b\r\n"
    else:
        table = pq.read_table(result.path)
        assert (table.num_rows, [str(field.type) for field in table.schema]) == (0, ["string", "string"])


@pytest.mark.parametrize(("wished", "fmt", "other"), [("a.parquet", "csv", "parquet"), ("a.CSV", "parquet", "csv")])
def test_a_name_that_announces_the_other_format_is_refused_before_a_row_is_pulled(
    save: Saving, wished: str, fmt: str, other: str
) -> None:
    rows = iter([(1,)])
    with pytest.raises(InvalidMaterializeError, match=f"announces {other} and fmt is '{fmt}'") as refused:
        save(["a"], rows, fmt=fmt, filename=wished)
    assert refused.value.advice == f"Call again with fmt={other!r}, or with filename='a.{fmt}'."
    assert list(rows) == [(1,)]


@pytest.mark.parametrize("wished", ["a.txt", "a.parquet.csv", "parquet", "a.csv"])
def test_any_other_suffix_is_as_good_as_the_formats(save: Saving, wished: str) -> None:
    assert Path(save(["a"], [(1,)], filename=wished).path).name == (wished if "." in wished else f"{wished}.csv")
