from __future__ import annotations

import pytest

from session_datasets.tools import DEFINITIONS, instructions, tokens_of


def test_the_paragraph_speaks_of_every_tool_there_is() -> None:
    assert all(name in instructions() for name in DEFINITIONS)


@pytest.mark.parametrize("name", DEFINITIONS)
def test_the_paragraph_speaks_of_no_tool_that_is_not_there(name: str) -> None:
    told = instructions([name])
    assert name in told
    assert not [other for other in DEFINITIONS if other != name and other in told]


def test_it_takes_definitions_as_well_as_names() -> None:
    assert instructions([DEFINITIONS["read_rows"]]) == instructions(["read_rows"])


def test_without_tools_there_is_nothing_to_say() -> None:
    assert instructions([]) == ""


def test_the_whole_paragraph_costs_at_most_250_tokens() -> None:
    assert tokens_of(instructions()) <= 250
