"""What the command line says when it is refused."""

from __future__ import annotations

import json

import pytest

from session_datasets.domain.names import ENV_TOKEN
from tests.unit.cli.shell import Shell


class TestProblems:
    def test_title_detail_advice_and_near_names_are_told(self, shell: Shell, artifact_id: str) -> None:
        result = shell.run("rows", artifact_id, "-c", "prize")
        assert result.exit_code == 1
        assert result.stdout == ""
        title, *rest = result.stderr.splitlines()
        assert title == "No such column"
        assert rest[-1] == "Did you mean price?"
        assert "`session-datasets describe` lists them" in result.stderr

    def test_json_problems_are_json(self, shell: Shell) -> None:
        result = shell.run("describe", "art_" + 26 * "0", "--json")
        assert result.exit_code == 1
        assert json.loads(result.stdout)["problem"]["code"] == "not-found"

    def test_a_local_refusal_is_json_as_well(self, shell: Shell, artifact_id: str) -> None:
        result = shell.run("load", artifact_id, "--to", "/etc/x", "--json")
        assert json.loads(result.stdout)["problem"]["title"] == "The path leaves the working directory"

    @pytest.mark.parametrize("as_json", [[], ["--json"]])
    def test_no_secret_of_a_text_reaches_the_terminal(self, shell: Shell, as_json: list[str]) -> None:
        result = shell.run("register", "/nowhere/postgres:ana:hunter2@db.csv", *as_json)
        assert result.exit_code == 1
        assert "postgres:***@db.csv" in result.stdout + result.stderr
        assert "hunter2" not in result.stdout + result.stderr

    def test_no_token_is_told_with_the_way_to_one(self, shell: Shell) -> None:
        shell.environment[ENV_TOKEN] = ""
        result = shell.run("list")
        assert result.exit_code == 1
        assert "session-datasets open" in result.stderr

    def test_advice_speaks_of_commands_and_not_of_verbs(self, shell: Shell) -> None:
        result = shell.run("describe", "art_" + 26 * "0")
        assert "Run `session-datasets list` to see what this session can reach" in result.stderr

    def test_a_file_is_no_artifact_id(self, shell: Shell) -> None:
        result = shell.run("rows", "own.csv")
        assert result.exit_code == 2
        told = " ".join(result.stderr.replace("│", " ").split())
        assert (
            "'own.csv' is no artifact id; ids begin with art_ and have 30 characters. "
            "Find it with: session-datasets list --name-contains own" in told
        )

    @pytest.mark.parametrize("command", [["rows"], ["register", __file__, "--made-from"]])
    def test_half_an_id_is_told_before_anything_is_asked(self, shell: Shell, command: list[str]) -> None:
        result = shell.run(*command, "art_bad")
        assert result.exit_code == 2
        told = " ".join(result.stderr.replace("│", " ").split())
        assert "'art_bad' is no artifact id; ids begin with art_ and have 30 characters. " in told
        assert "Find it with: session-datasets list" in told

    def test_a_broken_reference_is_neither_an_id_nor_json(self, shell: Shell) -> None:
        result = shell.run("rows", "{bad")
        assert result.exit_code == 2
        assert "neither an artifact id nor a reference's JSON" in " ".join(result.stderr.replace("│", " ").split())

    @pytest.mark.parametrize(
        "arguments",
        [["rows"], ["nonsense"], ["rows", "art_x", "--limit", "many"], ["rows", "{broken"], ["list", "--kind", "x"]],
    )
    def test_a_wrong_command_line_exits_with_2(self, shell: Shell, arguments: list[str]) -> None:
        assert shell.run(*arguments).exit_code == 2
