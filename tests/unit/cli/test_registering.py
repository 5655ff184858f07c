"""Files registered from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.cli.shell import Shell


class TestRegister:
    def test_the_id_the_shape_and_a_preview_are_shown(self, shell: Shell, csv: Path) -> None:
        result = shell.run("register", csv)
        assert result.exit_code == 0
        assert "art_" in result.stdout
        assert "28 rows, 3 columns" in result.stdout
        assert "2024-01-01" in result.stdout

    def test_json_is_the_services_answer(self, shell: Shell, csv: Path) -> None:
        answered = shell.json("register", csv, "--name", "p", "--kind", "series", "--description", "All prices")
        assert (answered["name"], answered["kind"], answered["created"]) == ("p", "series", True)
        described = shell.json("describe", answered["artifact_id"])
        assert described["description"] == "All prices"

    def test_lineage_and_request_token_are_passed_on(self, shell: Shell, csv: Path, artifact_id: str) -> None:
        made = ("register", csv, "--made-from", artifact_id, "--request-token", "t")
        first, second = shell.json(*made), shell.json(*made)
        assert (second["artifact_id"], second["created"]) == (first["artifact_id"], False)
        assert shell.json("describe", first["artifact_id"])["lineage"] == [artifact_id]

    def test_how_to_read_the_file_can_be_said(self, shell: Shell, tmp_path: Path) -> None:
        file = tmp_path / "codes.txt"
        file.write_bytes("a=b|naïve\n007|-\n008|x\n".encode("latin-1"))
        hints = ("--type", "a=b=int64", "--null", "-", "--delimiter", "|", "--encoding", "latin-1")
        answered = shell.json("register", file, *hints)
        assert [column["type"] for column in answered["profile"]["columns"]] == ["int64", "string"]
        assert shell.json("rows", answered["artifact_id"])["rows"] == [[7, None], [8, "x"]]

    @pytest.mark.parametrize("types", [("--type", "a"), ("--type", "a=int64", "--type", "a=string")])
    def test_a_type_that_can_not_be_meant_is_a_wrong_command_line(
        self, shell: Shell, csv: Path, types: tuple[str, ...]
    ) -> None:
        result = shell.run("register", csv, *types)
        assert result.exit_code == 2
        assert types[-1] in result.stderr

    def test_a_missing_file_is_told_without_a_traceback(self, shell: Shell) -> None:
        result = shell.run("register", "nowhere.csv")
        assert result.exit_code == 1
        assert result.stderr == "There is no file 'nowhere.csv'.\n"

    def test_a_long_path_in_a_problem_is_one_line(self, shell: Shell) -> None:
        shell.environment["COLUMNS"] = "40"
        path = "d" * 60 + "/" + "f" * 60
        assert shell.run("register", path).stderr == f"There is no file '{path}'.\n"

    def test_a_folder_is_told_to_be_none_of_the_files(self, shell: Shell) -> None:
        Path("data").mkdir()
        result = shell.run("register", "data")
        assert result.exit_code == 1
        assert result.stderr == "A folder is not a file: 'data'. Name one file.\n"

    def test_json_of_a_missing_file_has_the_same_words(self, shell: Shell) -> None:
        result = shell.run("register", "nowhere.csv", "--json")
        assert result.exit_code == 1
        assert json.loads(result.stdout)["problem"]["detail"] == "There is no file 'nowhere.csv'."

    def test_the_same_registration_again_is_told_to_be_known(self, shell: Shell, csv: Path) -> None:
        first, second = shell.run("register", csv).stdout, shell.run("register", csv).stdout
        assert not first.startswith("Known already")
        assert second == "Known already: this is the artifact of the same registration before.\n" + first
