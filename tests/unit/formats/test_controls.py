"""Control characters: values where a table bears them out or a caller says so, binary data everywhere else."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from session_datasets.domain.profile import Format, ReadingHints
from session_datasets.formats.controls import has_many_controls
from session_datasets.formats.detect import detect
from session_datasets.materialize import materialize_result
from tests.support.laid_out import laid_out, problem_of, understood

REFUSED = "The file's name announces CSV, but its content is text with control characters, as binary data has."


@pytest.mark.parametrize("control", ["\x01", "\x08", "\x0e", "\x1a", "\x1f"], ids=repr)
@pytest.mark.parametrize(
    ("text", "names", "rows"),
    [
        ('a\n"?"\n', ["a"], [["?"]]),
        ('"?"\n"? ?"\n', ["?"], [["? ?"]]),
        ('"a?",b\n"?",1\n', ["a?", "b"], [["?", 1]]),
        ("a,b\n?,1\n", ["a", "b"], [["?", 1]]),
        ("a;b\n?;?\n?;x\n", ["a", "b"], [["?", "?"], ["?", "x"]]),
        ("a,b,c\n1,?,\n2,,\n", ["a", "b", "c"], [[1, "?", None], [2, None, None]]),
    ],
)
def test_those_in_quotes_or_below_the_header_of_a_table_are_values(
    text: str, names: list[str], rows: list[list[object]], control: str
) -> None:
    dataset = laid_out(text.replace("?", control))
    assert list(dataset.types) == [name.replace("?", control) for name in names]
    assert dataset.rows == [
        [each.replace("?", control) if isinstance(each, str) else each for each in row] for row in rows
    ]
    assert dataset.table.note is None


def any_noise() -> list[bytes]:
    """Of seven bits and without zeros: what else is binary shows that by other means."""
    chance = random.Random(1)
    return [bytes(chance.choices(range(1, 128), k=size)) for size in (500, 5_000, 50_000) for _ in range(20)]


def records() -> bytes:
    """Tagged numbers and short texts, as many serializers write them."""
    return b"".join(b"\x08%c\x12\x05name%c\x18\x07" % (place, 64 + place) for place in range(1, 60))


@pytest.mark.parametrize(
    "data",
    [
        b"short\x01",
        b"a\n\x01\n\x02\n",
        b"a\x01,b\n1,2\n3,4\n",
        b"a,b\n\x01\x01\n\x02,,\x02\n",
        b"1\x01x\n2\x01y\n",
        b"id\x1fname\n1\x1fx\n",
        records(),
    ],
    ids=["a word", "no header bears it out", "a name", "no agreement", "\\x01 divides", "\\x1f divides", "records"],
)
def test_all_others_are_binary_data_under_a_name_that_promises_csv(data: bytes) -> None:
    problem = problem_of(data)
    assert problem.detail == REFUSED
    assert "quote the fields that hold them, or name the delimiter in the hints" in problem.advice


def test_noise_is_binary_data() -> None:
    assert {problem_of(data).detail for data in any_noise()} == {REFUSED}


@pytest.mark.parametrize("data", [b"a,b\n\x01,1\n", b'a,b\n"\x01",1\n'])
def test_under_a_name_that_promises_nothing_many_are_binary_data(data: bytes) -> None:
    assert (understood(data, "thing").note or "").startswith("This is text with control characters")


@pytest.mark.parametrize("delimiter", [",", "\x01"], ids=repr)
def test_a_hinted_delimiter_makes_them_values(delimiter: str) -> None:
    dataset = laid_out("a\n\x02\n\x03\n", hints=ReadingHints(delimiter=delimiter))
    assert dataset.rows == [["\x02"], ["\x03"]]


def test_a_zero_is_none_whatever_is_hinted_or_quoted() -> None:
    assert problem_of(b'a,b\n"\x00",1\n', hints=ReadingHints(delimiter=",")).detail.endswith("of an unknown kind.")
    assert problem_of(b'a,b\n"\x00",1\n').detail.endswith("of an unknown kind.")


CONTROLS = st.text(st.sampled_from([chr(code) for code in range(1, 32)] + ["x", '"', ",", "é"]), min_size=1, max_size=9)


@given(names=st.lists(CONTROLS, min_size=1, max_size=3, unique=True), data=st.data())
def test_every_csv_file_of_a_result_is_csv_without_hints(
    tmp_path_factory: pytest.TempPathFactory, names: list[str], data: st.DataObject
) -> None:
    width = len(names)
    rows = data.draw(st.lists(st.lists(CONTROLS, min_size=width, max_size=width), max_size=5))
    file = Path(materialize_result(names, rows, tmp_path_factory.mktemp("controls")).path)
    assert detect(file, Format.CSV).format is Format.CSV


def test_one_in_a_hundred_characters_is_none_too_many() -> None:
    assert not has_many_controls("x" * 99 + "\x01")
    assert has_many_controls("x" * 98 + "\x01")
    assert not has_many_controls("\t\n\x0b\x0c\r\x1b")
