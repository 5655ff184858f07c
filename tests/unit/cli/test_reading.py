"""Rows, columns and profiles read from the command line."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pytest

from tests.unit.cli.shell import Shell


class TestReading:
    def test_a_page_is_shown_with_row_numbers_and_the_way_on(self, shell: Shell, artifact_id: str) -> None:
        shown = shell.run("rows", artifact_id, "--offset", "5", "--limit", "2", "-c", "price").stdout.splitlines()
        assert [line.split() for line in shown] == [
            ["row", "price"],
            ["5", "6.5"],
            ["6", "7.5"],
            ["2", "of", "28", "rows;", "go", "on", "with", "--offset", "7."],
        ]

    def test_cells_are_shown_and_never_obeyed(self, shell: Shell, artifact_id: str) -> None:
        shown = shell.run("rows", artifact_id, "--limit", "1").stdout
        assert "[red]x\\x1b[31m" in shown
        assert "\x1b" not in shown

    def test_json_rows_are_the_services_own(self, shell: Shell, artifact_id: str) -> None:
        page = shell.json("rows", artifact_id, "--limit", "1", "-c", "price", "-c", "day")
        assert page["rows"] == [[1.5, "2024-01-01"]]

    def test_json_is_ascii_whatever_the_cells_hold(self, shell: Shell, artifact_id: str) -> None:
        printed = shell.run("rows", artifact_id, "--json").stdout
        assert printed.isascii()
        assert "\x1b" not in printed

    def test_a_wide_table_says_what_it_does_not_show(self, shell: Shell, tmp_path: Path) -> None:
        wide = tmp_path / "wide.csv"
        wide.write_text(",".join(f"c{n}" for n in range(20)) + "\n" + ",".join("1" for _ in range(20)) + "\n")
        shown = shell.run("rows", shell.json("register", wide)["artifact_id"]).stdout
        assert "c11" in shown
        assert "c12" not in shown
        assert "8 more columns" in shown

    def test_a_series_is_shown_with_its_bounds_and_course(self, shell: Shell, artifact_id: str) -> None:
        shown = shell.run("columns", artifact_id, "price", "day").stdout
        assert "1.5" in shown
        assert "28.5" in shown
        assert "▁" in shown
        assert "█" in shown
        assert "Rows 0 to 28 of 28, exact." in shown

    def test_the_bounds_of_wide_integers_are_exact(self, shell: Shell, tmp_path: Path) -> None:
        path = tmp_path / "wide.csv"
        path.write_text("a\n" + "".join(f"{2**60 + n}\n" for n in (1, 3, 2)))
        shown = shell.run("columns", shell.json("register", path)["artifact_id"], "a").stdout.splitlines()
        assert shown[1].split() == ["a", "int64", str(2**60 + 1), str(2**60 + 3), "0"]

    def test_of_a_column_of_texts_the_count_and_the_ends_are_told(self, shell: Shell, tmp_path: Path) -> None:
        path = tmp_path / "words.csv"
        path.write_text("a,word\n1,pear\n2,apple\n3,\n4,fig\n")
        shown = shell.run("columns", shell.json("register", path)["artifact_id"], "word").stdout.splitlines()
        assert shown[1].split() == ["word", "string", "-", "-", "1"]
        assert shown[3] == "Not numbers or moments, so nothing is drawn. 3 values: the first is pear, the last is fig."

    def test_of_a_nested_column_the_count_and_the_ends_are_told(self, shell: Shell, tmp_path: Path) -> None:
        path = tmp_path / "nested.json"
        path.write_text('[{"a": {"b": 1}}, {"a": {"b": 2}}]')
        shown = shell.run("columns", shell.json("register", path)["artifact_id"], "a").stdout
        assert '2 values: the first is {"b": 1}, the last is {"b": 2}.' in shown

    def test_of_a_column_of_numbers_without_any_so_much_is_told(self, shell: Shell, tmp_path: Path) -> None:
        path = tmp_path / "gap.csv"
        path.write_text("a,b\n1,\n2,\n3,7\n")
        artifact_id = shell.json("register", path)["artifact_id"]
        assert "No value lies in this window." in shell.run("columns", artifact_id, "b", "--rows", "2").stdout

    def test_json_series_may_be_reduced(self, shell: Shell, artifact_id: str) -> None:
        series = shell.json("columns", artifact_id, "price", "--max-points", "8")
        assert (series["method"], series["columns"][0]["max"][-1]) == ("min_max", 28.5)

    def test_a_series_is_drawn_over_the_axis_that_was_named(self, shell: Shell, artifact_id: str) -> None:
        shown = shell.run("columns", artifact_id, "price", "--x", "day").stdout.splitlines()
        assert shown[-2:] == ["over day: 2024-01-01 to 2024-01-28", "Rows 0 to 28 of 28, exact."]

    @pytest.mark.parametrize("method", ["lttb", "m4"])
    def test_a_series_of_chosen_rows_says_how_many(self, shell: Shell, artifact_id: str, method: str) -> None:
        arguments = ("columns", artifact_id, "price", "--max-points", "8", "--method", method)
        assert re.search(rf"Rows 0 to 28 of 28, {method}, [2-8] rows chosen\.", shell.run(*arguments).stdout)

    def test_a_page_may_be_redirected_as_an_arrow_stream(self, shell: Shell, artifact_id: str) -> None:
        result = shell.run("rows", artifact_id, "--offset", "5", "--limit", "2", "-c", "price", "--format", "arrow")
        assert pa.ipc.open_stream(result.stdout_bytes).read_all().to_pydict() == {"price": [6.5, 7.5]}
        assert result.stderr == "2 of 28 rows; go on with --offset 7.\n"

    def test_an_arrow_stream_is_not_written_to_a_terminal(
        self, shell: Shell, artifact_id: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("session_datasets.cli.reading._is_terminal", lambda: True)
        result = shell.run("rows", artifact_id, "--format", "arrow")
        assert (result.exit_code, result.stdout) == (2, "")
        assert "redirect it to a file" in result.stderr

    def test_the_whole_record_is_shown(self, shell: Shell, artifact_id: str) -> None:
        shown = shell.run("describe", artifact_id).stdout
        for told in ("sha256", "node", "date32[day]", "double", "2024-01-28"):
            assert told in shown
