from __future__ import annotations

from pathlib import Path

from tests.contract.limits_document import document

PUBLISHED = Path(__file__).parents[2] / "docs" / "limits.md"


def test_the_published_limits_are_those_in_force() -> None:
    assert PUBLISHED.read_text() == document()
