"""Which dialect the first lines of a text show."""

from __future__ import annotations

import pytest

from session_datasets.domain.errors import Refusal
from session_datasets.formats.csv.dialect import Dialect, find_dialect, hinted_dialect


@pytest.mark.parametrize(
    ("head", "promised", "delimiter"),
    [
        ("a,b\n1,2\n", False, ","),
        ("a;b\n1,5;2,5\n", False, ";"),
        ("a\tb\n1\t2\n", False, "\t"),
        ("a|b\n1|2\n", False, "|"),
        ("a^b\n1^2\n", False, "^"),
        ("a~b\n1~2\n", False, "~"),
        ("a:b\n1:2\n", True, ":"),
        ("a b\n1 2.5\n-3 nan\n", True, " "),
        ("a b\n1 x\n", True, ","),
        ("a b\n1  2\n", True, ","),
        ("a^b\n1^2\n3\n", True, ","),
        ("12:30\n12:30\n13:00\n", True, ":"),
        ("time\n12:30\n13:00\n", True, ","),
        ('a;b\n"x,y,z";1\n', False, ";"),
        ("words\nand more\n", True, ","),
    ],
)
def test_the_delimiter_is_the_one_that_the_lines_agree_on(head: str, promised: bool, delimiter: str) -> None:
    assert find_dialect(head, True, promised) == Dialect(delimiter)


@pytest.mark.parametrize("head", ["a:b\n1:2\n", "a b\n1 2\n", "a,b\n", "words\n", "a,b\n1\n2\n3\n", "a^b\n1^2\n3\n"])
def test_lines_that_do_not_agree_make_no_table_unless_the_name_promised_one(head: str) -> None:
    assert find_dialect(head, True, promised=False) is None


def test_a_last_line_that_is_cut_off_is_not_compared() -> None:
    assert find_dialect("a^b\n1^2\n3", False, True) == Dialect("^")


@pytest.mark.parametrize("head", ["", "\n", "\r\n\r\n"])
def test_blank_text_is_refused(head: str) -> None:
    with pytest.raises(Refusal, match="blank"):
        find_dialect(head, True, True)


@pytest.mark.parametrize("delimiter", ["", "ab", '"', "\n", "\r", "\x00", "ä"])
def test_a_hint_must_be_a_character_that_can_divide_fields(delimiter: str) -> None:
    with pytest.raises(Refusal, match="as delimiter"):
        hinted_dialect(delimiter)
