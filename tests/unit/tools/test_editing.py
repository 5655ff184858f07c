"""Edits of texts with any line ends, by whoever has read them with line feeds."""

from __future__ import annotations

import re

import pytest
from deepagents.backends.utils import perform_string_replacement
from hypothesis import given
from hypothesis import strategies as st

from session_datasets.tools.editing import edited


def _edited(text: str, old: str, new: str, everywhere: bool = False) -> str:
    made = edited(text, old, new, everywhere, perform_string_replacement)
    assert not isinstance(made, str), made
    return made[0]


def _read(text: str) -> str:
    return re.sub("\r\n|\r", "\n", text)


@pytest.mark.parametrize(
    ("text", "old", "new", "made"),
    [
        ("a\r\nb\r\nc\r\n", "a\nb", "X\nY", "X\r\nY\r\nc\r\n"),
        ("a\r\nb\r\nc\r\n", "a\r\nb", "X\r\nY", "X\r\nY\r\nc\r\n"),
        ("a\r\nb\r\n", "b", "b\nmore", "a\r\nb\r\nmore\r\n"),
        ("a\r\nb\r\nc", "a\nb\n", "", "c"),
        ("a\rb\rc", "b\nc", "b\nnew\nc", "a\rb\rnew\rc"),
        ("a\r\nb\nc\rd", "b\nc", "B\nC", "a\r\nB\nC\rd"),
        ("a\nb\nc\r\nd\n", "d", "d\ne", "a\nb\nc\r\nd\ne\n"),
        ("a\nb\n", "a\r\nb", "X\r\nY", "X\nY\n"),
        ("a", "a", "b", "b"),
    ],
    ids=repr,
)
def test_an_edit_keeps_the_ends_of_lines(text: str, old: str, new: str, made: str) -> None:
    assert _edited(text, old, new) == made


def test_everywhere_is_everywhere() -> None:
    assert _edited("a\r\nx\r\na\r\nx", "a\nx", "b", everywhere=True) == "b\r\nb"


@pytest.mark.parametrize(("old", "told"), [("z", "not found"), ("a", "appears 2 times"), ("", "old_string")])
def test_what_can_not_be_replaced_is_told(old: str, told: str) -> None:
    wrong = edited("a\r\na\r\n", old, "b", False, perform_string_replacement)
    assert isinstance(wrong, str)
    assert told in wrong


_TEXTS = st.text(st.sampled_from("ab\r\n"), max_size=30)


@given(text=_TEXTS, old=st.text(st.sampled_from("ab\r\n"), min_size=1, max_size=3), new=_TEXTS)
def test_what_is_read_after_an_edit_is_what_was_read_before_with_the_edit(text: str, old: str, new: str) -> None:
    if _read(old) in _read(text):
        made = _edited(text, old, new, everywhere=True)
        # A carriage return that the edit brings next to a line feed would be read as one end with it.
        assert _read(made) == _read(text).replace(_read(old), _read(new)) or "\r" in re.sub("\r\n", "", text)


@given(text=_TEXTS, old=st.text(st.sampled_from("ab\r\n"), min_size=1, max_size=3))
def test_an_edit_that_puts_in_what_was_there_changes_nothing(text: str, old: str) -> None:
    if _read(old) in _read(text):
        assert _edited(text, old, old, everywhere=True) == text


@given(
    lines=st.lists(st.sampled_from(["a", "bb", ""]), min_size=1, max_size=9), end=st.sampled_from(["\r\n", "\r", "\n"])
)
def test_a_text_of_one_kind_of_ends_stays_so(lines: list[str], end: str) -> None:
    text = end.join([*lines, "here", *lines])
    assert _edited(text, "here", "one\ntwo\r\nthree") == end.join([*lines, "one", "two", "three", *lines])
