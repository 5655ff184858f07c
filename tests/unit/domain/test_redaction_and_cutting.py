"""No cut leaves half a secret."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from session_datasets.domain.redaction import CUT_MARK, MASK, redacted_and_cut


@given(st.text(), st.from_regex(r"[A-Za-z0-9+/@!#%^*_~-]{8,40}Zq9", fullmatch=True), st.integers(0, 60))
def test_no_cut_leaves_a_piece_of_a_secret(before: str, secret: str, max_chars: int) -> None:
    shown = redacted_and_cut(f"{before}\nDB_PASSWORD={secret} tail", len(before) + max_chars)
    assert secret[3:] not in shown
    assert f"PASSWORD={secret[:3]}" not in shown


def test_text_of_exactly_the_most_characters_is_not_cut() -> None:
    assert redacted_and_cut("x" * 2_000, 2_000) == "x" * 2_000


def test_one_character_more_is_cut_with_a_mark() -> None:
    assert redacted_and_cut("x" * 2_001, 2_000) == "x" * 2_000 + CUT_MARK


def test_of_huge_text_only_the_beginning_is_read_and_no_secret_is_cut_in_two() -> None:
    secret = "hunter2" * 30_000
    for text in (f"mysql://ana:{secret}@host", f"DB_PASSWORD={secret}", f'{{"password": "{secret} x"}}', secret):
        shown = redacted_and_cut(f"begin {text} end " + "x " * 100_000, 2_000)
        assert shown.startswith("begin ")
        assert shown.endswith(CUT_MARK)
        assert "hunter2" not in shown


def test_huge_text_without_a_blank_is_not_shown_at_all() -> None:
    assert redacted_and_cut("x" * 1_000_000, 2_000) == MASK + CUT_MARK


def test_it_is_redacted_before_it_is_cut() -> None:
    text = "mysql://ana:hunter2@host"
    for max_chars in range(len(text)):
        assert "hun" not in redacted_and_cut(text, max_chars)
