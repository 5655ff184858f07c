"""Every command, as a person and as a program uses it."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from aws_lambda_powertools import Metrics
from typer.testing import CliRunner, Result

from session_datasets.cli.main import app
from session_datasets.client.orchestrator import Orchestrator
from session_datasets.client.surroundings import Surroundings
from session_datasets.domain.names import CALLED_VERBS, ENV_QUALIFIER, ENV_STACK, ENV_TOKEN, METRICS_NAMESPACE, Verb
from tests.support.moto_cloud import MotoCloud, door


class Shell:
    """A shell whose environment points at the cloud of this process."""

    def __init__(self, cloud: MotoCloud) -> None:
        self.environment: dict[str, str] = {ENV_TOKEN: cloud.token(run_id="run")}

    def run(self, *arguments: str | Path) -> Result:
        # A width of its own: tables must not depend on who runs the tests.
        environment = {"COLUMNS": "200", "NO_COLOR": "1", **self.environment}
        return CliRunner().invoke(app, [str(argument) for argument in arguments], env=environment)

    def on_a_terminal(self, *arguments: str | Path, columns: int) -> str:
        """What a terminal of that width is sent, without its colors."""
        arguments_ = [str(argument) for argument in arguments]
        environment = {"COLUMNS": str(columns), "TTY_COMPATIBLE": "1", **self.environment}
        result = CliRunner().invoke(app, arguments_, env=environment, color=True)
        return re.sub(r"\x1b\[[0-9;]*m", "", result.stdout)

    def json(self, *arguments: str | Path) -> dict[str, Any]:
        result = self.run(*arguments, "--json")
        assert result.exit_code == 0, result.output
        answered: dict[str, Any] = json.loads(result.stdout)
        return answered


@pytest.fixture
def shell(cloud: MotoCloud, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Shell:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    for verb in Verb:
        # A handler logs to what is standard output when it is imported; that must not be a command's own.
        door(verb)
    monkeypatch.setattr(Surroundings, "transport", lambda _: cloud.transport())
    # Handlers print their metrics by the hundred, which in this process would be in the midst of a result.
    Metrics(namespace=METRICS_NAMESPACE).clear_metrics()
    return Shell(cloud)


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    path = tmp_path / "prices.csv"
    path.write_text("day,price,note\n" + "".join(f"2024-01-{n:02},{n}.5,[red]x\x1b[31m\n" for n in range(1, 29)))
    return path


@pytest.fixture
def artifact_id(shell: Shell, csv: Path) -> str:
    return str(shell.json("register", csv, "--name", "prices")["artifact_id"])


class TestEnding:
    def test_a_run_is_ended_and_told_by_its_counts(self, shell: Shell, artifact_id: str) -> None:
        result = shell.run("end-run", "run", "--owner", "acme", "--release-leases", "--yes")
        assert (result.exit_code, result.stdout.splitlines()[0]) == (0, "Removed:")
        assert ["artifacts", "1"] in [line.split() for line in result.stdout.splitlines()]
        assert "file versions" in result.stdout
        assert "notes" not in result.stdout

    def test_json_holds_all_counts(self, shell: Shell, artifact_id: str) -> None:
        removed = shell.json("end-run", "run", "--owner", "acme", "--release-leases", "--yes")
        assert (removed["artifacts"], removed["file_versions"], removed["uploads"]) == (1, 1, 0)

    def test_what_was_ended_before_says_so(self, shell: Shell) -> None:
        result = shell.run("end-conversation", "chat-9", "--owner", "acme", "--yes")
        assert (result.exit_code, result.stdout) == (0, "Nothing was left to remove.\n")

    @pytest.mark.parametrize("command", ["end-run", "end-conversation"])
    def test_nothing_is_removed_unless_it_is_confirmed(
        self, shell: Shell, monkeypatch: pytest.MonkeyPatch, command: str
    ) -> None:
        monkeypatch.setattr(Orchestrator, "_ended", lambda *_, **__: pytest.fail("the service was asked"))
        result = shell.run(command, "run", "--owner", "acme")
        assert (result.exit_code, result.stdout) == (1, "")
        assert "It can not be taken back" in result.stderr

    def test_open_sessions_are_told_with_what_to_do(self, shell: Shell) -> None:
        result = shell.run("end-run", "run", "--owner", "acme", "--yes")
        assert result.exit_code == 1
        assert "1 session of run run may still be at work" in result.stderr
        assert "release_leases" in result.stderr


class TestOpen:
    def test_the_shell_evaluates_what_is_printed(self, shell: Shell) -> None:
        result = shell.run("open", "--owner", "acme", "--conversation", "chat")
        script = f"{result.stdout}\necho ${ENV_TOKEN}"
        told = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True).stdout
        assert told.strip().count(".") == 2
        assert f"export {ENV_TOKEN}={told.strip()}" in result.stdout.splitlines()

    def test_the_session_is_told_beside_the_exports(self, shell: Shell) -> None:
        result = shell.run("open", "--owner", "acme", "--run", "run")
        assert result.stderr.startswith("# Session ses-")

    def test_stack_and_alias_are_handed_on(self, shell: Shell) -> None:
        shell.environment |= {ENV_STACK: "my stack", ENV_QUALIFIER: "blue"}
        lines = shell.run("open", "--owner", "acme", "--run", "run").stdout.splitlines()
        assert lines[:2] == [f"export {ENV_STACK}={shlex.quote('my stack')}", f"export {ENV_QUALIFIER}=blue"]

    def test_json_holds_the_token_and_its_session(self, shell: Shell) -> None:
        opened = shell.json("open", "--owner", "acme", "--run", "run")
        assert opened["workspace"] == f"acme/runs/run/{opened['session_id']}/"
        assert {"token", "expires_at"} <= opened.keys()

    def test_a_token_may_be_narrowed_to_verbs(self, shell: Shell) -> None:
        opened = shell.json("open", "--owner", "acme", "--run", "run", "--verb", "list_artifacts")
        shell.environment[ENV_TOKEN] = opened["token"]
        assert shell.run("list").exit_code == 0
        assert "does not allow" in shell.run("rows", "art_" + 26 * "0").stderr

    def test_neither_conversation_nor_run_is_refused_before_any_call(
        self, shell: Shell, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(Orchestrator, "open_session", lambda *_, **__: pytest.fail("the service was asked"))
        result = shell.run("open", "--owner", "acme")
        assert result.exit_code == 2
        assert "--conversation / --run" in result.stderr
        assert result.stdout == ""


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
        monkeypatch.setattr("session_datasets.cli.main._is_terminal", lambda: True)
        result = shell.run("rows", artifact_id, "--format", "arrow")
        assert (result.exit_code, result.stdout) == (2, "")
        assert "redirect it to a file" in result.stderr

    def test_the_whole_record_is_shown(self, shell: Shell, artifact_id: str) -> None:
        shown = shell.run("describe", artifact_id).stdout
        for told in ("sha256", "node", "date32[day]", "double", "2024-01-28"):
            assert told in shown


class TestLoad:
    def test_the_path_is_printed_and_the_file_is_there(self, shell: Shell, csv: Path, artifact_id: str) -> None:
        path = Path(shell.run("load", artifact_id).stdout.strip())
        assert path == Path.cwd() / "prices.csv"
        assert path.read_bytes() == csv.read_bytes()

    def test_json_holds_the_path(self, shell: Shell, artifact_id: str) -> None:
        assert shell.json("load", artifact_id, "--to", "data/p.csv") == {"path": str(Path.cwd() / "data/p.csv")}

    def test_a_reference_as_json_is_a_reference(self, shell: Shell, artifact_id: str) -> None:
        assert shell.run("load", json.dumps({"artifact_id": artifact_id})).exit_code == 0

    def test_overwrite_replaces(self, shell: Shell, csv: Path, artifact_id: str) -> None:
        Path("prices.csv").write_text("old")
        assert shell.run("load", artifact_id, "--overwrite").exit_code == 0
        assert Path("prices.csv").read_bytes() == csv.read_bytes()

    def test_a_copy_in_the_workspace_is_told_by_its_key(self, shell: Shell, artifact_id: str) -> None:
        assert shell.run("load", artifact_id, "--into", "workspace").stdout.strip().endswith("/prices.csv")
        assert os.listdir() == []

    def test_a_path_outside_is_refused(self, shell: Shell, artifact_id: str) -> None:
        result = shell.run("load", artifact_id, "--to", "../outside.csv")
        assert result.exit_code == 1
        assert "working directory" in result.stderr


class TestProblems:
    def test_title_detail_advice_and_near_names_are_told(self, shell: Shell, artifact_id: str) -> None:
        result = shell.run("rows", artifact_id, "-c", "prize")
        assert result.exit_code == 1
        assert result.stdout == ""
        title, *rest = result.stderr.splitlines()
        assert title == "No such column"
        assert rest[-1] == "Did you mean price?"
        assert "describe_artifact lists them" in result.stderr

    def test_json_problems_are_json(self, shell: Shell) -> None:
        result = shell.run("describe", "art_" + 26 * "0", "--json")
        assert result.exit_code == 1
        assert json.loads(result.stdout)["problem"]["code"] == "not-found"

    def test_a_local_refusal_is_json_as_well(self, shell: Shell, artifact_id: str) -> None:
        result = shell.run("load", artifact_id, "--to", "/etc/x", "--json")
        assert json.loads(result.stdout)["problem"]["title"] == "The path leaves the working directory"

    def test_no_token_is_told_with_the_way_to_one(self, shell: Shell) -> None:
        shell.environment[ENV_TOKEN] = ""
        result = shell.run("list")
        assert result.exit_code == 1
        assert "session-datasets open" in result.stderr

    @pytest.mark.parametrize(
        "arguments",
        [["rows"], ["nonsense"], ["rows", "art_x", "--limit", "many"], ["rows", "{broken"], ["list", "--kind", "x"]],
    )
    def test_a_wrong_command_line_exits_with_2(self, shell: Shell, arguments: list[str]) -> None:
        assert shell.run(*arguments).exit_code == 2


def test_there_is_a_command_for_every_verb() -> None:
    commands = {command.name or command.callback.__name__ for command in app.registered_commands if command.callback}
    # A node prepares an upload as part of registering; alone it is of no use to a person.
    assert len(commands) == len(CALLED_VERBS) - 1


@pytest.mark.parametrize(
    "command", ["open", "register", "list", "describe", "rows", "columns", "load", "end-conversation", "end-run"]
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
