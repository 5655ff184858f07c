"""What came from a file is shown on a terminal and never obeyed by it."""

from __future__ import annotations

from typing import Any

import pytest

from session_datasets.cli.text import cell, plain, size


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 漢 😀", "plain é 漢 😀"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("a\nb\r\tc", "a\\nb\\r\\tc"),
        ("\x00\x7f\x9b", "\\x00\\x7f\\x9b"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("line\u2028end", "line\\u2028end"),
        ("tag\U000e0041", "tag\\U000e0041"),
    ],
)
def test_what_a_terminal_would_act_upon_is_spelled_out(text: str, shown: str) -> None:
    assert plain(text) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "null"),
        ("[bold]not markup[/bold]", "[bold]not markup[/bold]"),
        ("", ""),
        (True, "true"),
        (1.5, "1.5"),
        ({"a": [1, None]}, '{"a": [1, null]}'),
        (60 * "x", 60 * "x"),
        (61 * "x", 60 * "x" + "…"),
    ],
)
def test_a_cell_is_shown_as(value: Any, shown: str) -> None:
    assert cell(value).plain == shown


def test_a_cell_is_never_read_as_markup() -> None:
    assert cell("[bold]x").spans == []


@pytest.mark.parametrize(
    ("number", "shown"),
    [(0, "0 bytes"), (1023, "1,023 bytes"), (1024, "1.0 KiB"), (31_053_850, "29.6 MiB"), (2**40 * 3, "3.0 TiB")],
)
def test_bytes_are_told_in_a_persons_units(number: int, shown: str) -> None:
    assert size(number) == shown
