"""A command for every verb, and what each says of itself."""

from __future__ import annotations

import re

import pytest
from typer.testing import CliRunner

from session_datasets.cli.main import app
from session_datasets.domain.names import CALLED_VERBS


def test_there_is_a_command_for_every_verb() -> None:
    commands = {command.name or command.callback.__name__ for command in app.registered_commands if command.callback}
    # A node prepares an upload as part of registering; alone it is of no use to a person.
    assert len(commands - {"mcp"}) == len(CALLED_VERBS) - 1


COMMANDS = [
    ["open"], ["register"], ["list"], ["describe"], ["rows"], ["columns"], ["load"], ["end-conversation"], ["end-run"],
    ["mcp"], ["doctor", "isolation"],
]  # fmt: skip
# Of an argument that is repeated the type is told whatever its name is.
_ARGUMENT = re.compile(r"COLUMN +<list\[str\]>")


def helped(command: list[str], width: int) -> str:
    return CliRunner().invoke(app, [*command, "--help"], env={"COLUMNS": str(width)}).stdout


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("width", [80, 200])
def test_no_option_s_type_is_cut_or_spelled_as_in_the_code(command: list[str], width: int) -> None:
    told = helped(command, width).partition("Example:")[0]
    assert "…" not in told
    assert not re.search(
        r"<(?!(bool|str|path|text\|structured|json\|arrow|auto\|lttb\|m4)>)",
        _ARGUMENT.sub("", told).replace("0<=x<=", ""),
    )


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_no_paragraph_is_broken_in_its_middle(command: list[str]) -> None:
    usage, _, text = helped(command, 2_000).partition("╭")[0].partition("Usage: ")[2].partition("\n")
    assert usage
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    assert [line for line in lines if not line.endswith(".")] == []
    assert [line for line in lines if not line[0].isupper()] == []


@pytest.mark.parametrize(
    "command", ["open", "register", "list", "describe", "rows", "columns", "load", "end-conversation", "end-run", "mcp"]
)
def test_help_teaches_by_an_example(command: str) -> None:
    result = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "200"})
    assert f"session-datasets {command}" in result.stdout.partition("Example:")[2]


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("open", "60 to 43,200; 3,600 when absent."),
        ("open", "--conversation or --run is needed"),
        ("list", "1 to 100; 20 when absent."),
        ("list", "table, series, document or other"),
        ("list", "session, conversation or run"),
        ("load", "working_directory or workspace"),
        ("rows", "1 to 10,000; 100 when absent."),
        ("rows", "1,024 to 4,194,304; 1,048,576 when absent."),
        ("rows", "up to 1,000,000 of format arrow"),
        ("columns", "8 to 20,000; 2,000 when absent."),
        ("end-run", "While sessions are open in the run nothing is removed"),
        ("end-conversation", "stay with their run"),
    ],
)
def test_help_tells_what_is_needed_ranges_and_defaults(command: str, told: str) -> None:
    result = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "200"})
    assert told in result.stdout
