"""What the command line lists, and how it draws what others wrote."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

from tests.unit.cli.shell import Shell


class TestList:
    def test_what_is_there_is_shown(self, shell: Shell, artifact_id: str) -> None:
        result = shell.run("list")
        assert artifact_id in result.stdout
        assert "prices" in result.stdout

    def test_an_empty_listing_says_so(self, shell: Shell) -> None:
        assert "Nothing is registered" in shell.run("list").stdout

    def test_a_listing_goes_on_by_its_cursor(self, shell: Shell, csv: Path) -> None:
        ids = [shell.json("register", csv, "--name", f"n{n}")["artifact_id"] for n in range(3)]
        first = shell.json("list", "--limit", "2")
        second = shell.json("list", "--limit", "2", "--cursor", first["next_cursor"])
        found = [each["artifact_id"] for each in (*first["artifacts"], *second["artifacts"])]
        assert found == sorted(ids, reverse=True)
        assert f"--cursor {first['next_cursor'][:10]}" in shell.run("list", "--limit", "2").stderr

    def test_filters_are_passed_on(self, shell: Shell, artifact_id: str) -> None:
        assert shell.json("list", "--name-contains", "PRICE")["artifacts"][0]["artifact_id"] == artifact_id
        assert shell.json("list", "--kind", "document")["artifacts"] == []
        assert shell.json("list", "--scope", "session")["artifacts"][0]["artifact_id"] == artifact_id


class TestWholeness:
    """What is copied from the output is whole, on a narrow terminal and where there is none."""

    @pytest.mark.parametrize("columns", [20, 80])
    @pytest.mark.parametrize("command", ["list", "describe"])
    def test_ids_are_whole_on_a_narrow_terminal(
        self, shell: Shell, artifact_id: str, command: str, columns: int
    ) -> None:
        arguments = [command] if command == "list" else [command, artifact_id]
        assert artifact_id in shell.on_a_terminal(*arguments, columns=columns)

    def test_a_listing_in_a_pipe_has_one_line_an_artifact(self, shell: Shell, csv: Path) -> None:
        name = "n" * 60
        artifact_id = shell.json("register", csv, "--name", name)["artifact_id"]
        shell.environment["COLUMNS"] = "80"
        _, line = shell.run("list").stdout.splitlines()
        assert line.split()[:2] == [artifact_id, name]

    def test_checksum_and_lineage_are_whole_on_a_narrow_terminal(
        self, shell: Shell, csv: Path, artifact_id: str
    ) -> None:
        made = shell.json("register", csv, "--made-from", artifact_id)["artifact_id"]
        shown = shell.on_a_terminal("describe", made, columns=40)
        assert hashlib.sha256(csv.read_bytes()).hexdigest() in shown
        assert artifact_id in shown

    def test_statistics_are_whole_up_to_the_length_of_a_cell(self, shell: Shell, tmp_path: Path) -> None:
        path = tmp_path / "t.csv"
        path.write_text(f"a,b\n{'x' * 60},{'y' * 61}\n")
        artifact_id = shell.json("register", path)["artifact_id"]
        shell.environment["COLUMNS"] = "80"
        schema = shell.run("describe", artifact_id).stdout.partition("Schema")[2].splitlines()
        assert schema[2].split() == ["a", "string", "0", "1", "x" * 60, "x" * 60]
        assert schema[3].split() == ["b", "string", "0", "1", "y" * 60 + "…", "y" * 60 + "…"]

    def test_figures_are_shown_of_the_columns_that_have_them(self, shell: Shell, tmp_path: Path) -> None:
        path = tmp_path / "t.csv"
        path.write_text("n,t\n" + "".join(f"{number // 2},{'x' * (number % 3 + 1)}\n" for number in range(6_000)))
        shown = shell.run("describe", shell.json("register", path)["artifact_id"]).stdout
        schema, _, cells = shown.partition("Schema")[2].partition("Cells")
        assert re.search(r"n +int64 +0 +~[23],\d{3} +0 +2999 +1,499.5", schema)
        assert re.search(r"t +string +0 +3 +x +xxx", schema)
        assert re.search(r"n +ascending +4\.\d+", cells)
        assert re.search(r"t +unsorted +1 to 3 +5 ", cells)

    def test_a_value_too_long_for_its_column_goes_on_below(self, shell: Shell, tmp_path: Path) -> None:
        path = tmp_path / "t.csv"
        path.write_text("a,b\n" + "x" * 60 + "," + "y" * 60 + "\n")
        shown = shell.on_a_terminal("rows", shell.json("register", path)["artifact_id"], columns=40)
        assert (shown.count("x"), shown.count("y"), shown.count("…")) == (60, 60, 0)

    @pytest.mark.parametrize("columns", [20, 80])
    def test_a_key_is_one_line(self, shell: Shell, csv: Path, columns: int) -> None:
        long = csv.rename(csv.with_name("p" * 80 + ".csv"))
        artifact_id = shell.json("register", long)["artifact_id"]
        arguments = ("load", artifact_id, "--into", "workspace")
        shell.environment["COLUMNS"] = str(columns)
        for printed in (shell.run(*arguments).stdout, shell.on_a_terminal(*arguments, columns=columns)):
            assert re.fullmatch(rf"acme/runs/run/\S+/{long.name}\n", printed)
