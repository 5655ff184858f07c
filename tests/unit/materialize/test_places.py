"""Where a file goes, and that nothing goes anywhere when something fails."""

from __future__ import annotations

import builtins
import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from session_datasets.client.errors import MissingExtraError, TransferError
from session_datasets.materialize import LocalFolder, Saved, materialize_result, write_command
from session_datasets.materialize.agent_files import AgentFiles
from session_datasets.materialize.backends import Backend
from session_datasets.materialize.refusals import (
    InvalidMaterializeError,
    SourceFailedError,
    UnknownFormatError,
    WriteFailedError,
)
from tests.unit.materialize.conftest import Saving

ROWS = [(1, "a"), (2, "b")]


def unpulled() -> Iterator[Any]:
    raise AssertionError("a row was pulled")
    yield


class Kept:
    """A backend that remembers what it was given, or fails."""

    def __init__(self, failure: Exception | None = None) -> None:
        self.saved: list[str] = []
        self.incomplete: str | None = None
        self._failure = failure

    def save(self, file: Path, *, fmt: str, incomplete: str | None) -> Saved:
        if self._failure:
            raise self._failure
        self.saved.append(file.read_text())
        self.incomplete = incomplete
        return Saved(f"kept/{file.name}", files_update={"kept": 1})


def test_an_own_backend_gets_the_finished_file_and_says_where_it_is() -> None:
    kept = Kept()
    result = materialize_result(["a", "b"], ROWS, kept, filename="x.csv")
    assert kept.saved == ["a,b\n1,a\n2,b\n"]
    assert (result.path, result.files_update, kept.incomplete) == ("kept/x.csv", {"kept": 1}, None)
    assert isinstance(kept, Backend)


def test_a_backend_is_told_which_rows_are_missing() -> None:
    kept = Kept()
    materialize_result(["a", "b"], ROWS, kept, max_bytes=10)
    assert kept.incomplete == "Incomplete: ended after 1 rows by a budget of 10 bytes."


@pytest.mark.parametrize("fmt", ["json", "CSV", "", None], ids=repr)
def test_an_unknown_format_is_refused_with_those_there_are_before_a_row_is_pulled(fmt: Any) -> None:
    kept = Kept()
    with pytest.raises(UnknownFormatError, match="Use one of: 'csv', 'parquet'"):
        materialize_result(["a"], unpulled(), kept, fmt=fmt)
    assert kept.saved == []


def test_what_is_no_place_is_refused_before_a_row_is_pulled() -> None:
    with pytest.raises(InvalidMaterializeError, match="A int is no place for a file"):
        materialize_result(["a"], unpulled(), 5)


def test_rows_that_are_none_are_refused() -> None:
    with pytest.raises(InvalidMaterializeError, match="rows is a int, which has no rows"):
        materialize_result(["a"], 5, Kept())  # type: ignore[arg-type]


@pytest.mark.parametrize("fmt", ["csv", "parquet"])
def test_a_source_that_fails_leaves_nothing_and_tells_how_far_it_came(tmp_path: Path, fmt: str) -> None:
    def rows() -> Iterator[Any]:
        yield from ROWS
        raise ConnectionError("lost postgresql://me:s3cr3t@db.example/x")

    with pytest.raises(SourceFailedError) as failed:
        materialize_result(["a", "b"], rows(), tmp_path / "out", fmt=fmt)
    assert failed.value.rows_read == 2
    assert "The source failed after 2 rows; nothing was saved." in failed.value.detail
    assert "ConnectionError" in failed.value.detail
    assert "s3cr3t" not in str(failed.value)
    assert isinstance(failed.value.__cause__, ConnectionError)
    assert not (tmp_path / "out").exists()


def test_an_interrupt_of_the_source_is_no_failure_of_it(tmp_path: Path) -> None:
    def rows() -> Iterator[Any]:
        raise KeyboardInterrupt
        yield

    with pytest.raises(KeyboardInterrupt):
        materialize_result(["a"], rows(), tmp_path)


def test_a_backend_that_fails_is_told_with_the_files_name() -> None:
    with pytest.raises(WriteFailedError, match=r"'x\.csv' was not written, nothing was registered: OSError: disk full"):
        materialize_result(["a"], [(1,)], Kept(OSError("disk full")), filename="x.csv")


def test_what_the_workspace_raises_passes_with_the_files_name_beside_it() -> None:
    with pytest.raises(TransferError) as failed:
        materialize_result(["a"], [(1,)], Kept(TransferError("no")), filename="x.csv")
    assert failed.value.__notes__ == ["'x.csv' was not saved."]


def test_whatever_happens_no_temporary_file_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    materialize_result(["a"], [(1,)], Kept(), fmt="csv")
    with pytest.raises(WriteFailedError):
        materialize_result(["a"], [(1,)], Kept(OSError()))
    with pytest.raises(SourceFailedError):
        materialize_result(["a"], (1 / 0 for _ in "x"), Kept())
    assert list(tmp_path.iterdir()) == []


# --- a local folder ----------------------------------------------------------------------------------------


def test_a_name_that_is_taken_is_not_overwritten(save: Saving) -> None:
    paths = [Path(save(["a"], [(n,)], filename="x.csv").path) for n in range(3)]
    assert [path.name for path in paths] == ["x.csv", "x-2.csv", "x-3.csv"]
    assert [path.read_text() for path in paths] == ["a\n0\n", "a\n1\n", "a\n2\n"]


@pytest.mark.parametrize(("first", "second"), [("Sales.csv", "sales.csv"), ("é.csv", "e\u0301.csv")])
def test_names_that_differ_by_case_or_unicode_form_are_taken_for_one(save: Saving, first: str, second: str) -> None:
    save(["a"], [(1,)], filename=first)
    assert Path(save(["a"], [(2,)], filename=second).path).stem.endswith("-2")


def test_with_and_without_a_name_the_path_has_one_form(save: Saving, tmp_path: Path) -> None:
    paths = [Path(save(["a"], [(1,)], filename=name).path) for name in ("x.csv", None)]
    assert [path.parent for path in paths] == [tmp_path / "out"] * 2


def test_the_folder_holds_the_file_and_nothing_else(save: Saving, tmp_path: Path) -> None:
    save(["a"], [(1,)], filename="x.csv")
    assert os.listdir(tmp_path / "out") == ["x.csv"]


def test_a_folder_that_can_not_be_made_is_a_failed_write(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(WriteFailedError):
        materialize_result(["a"], [(1,)], LocalFolder(tmp_path / "file" / "below"))


# --- a deepagents backend ----------------------------------------------------------------------------------


class Answer:
    def __init__(self, **facts: Any) -> None:
        self.__dict__.update(facts)


class Files:
    """As a deepagents backend answers, with an update of the state or an error if told so."""

    def __init__(self, *taken: str, **answer: Any) -> None:
        self.files: dict[str, Any] = {}
        self._taken = taken
        self._answer = answer

    def ls(self, path: str) -> Answer:
        return Answer(entries=[{"path": name} for name in [*self._taken, *self.files]])

    def write(self, path: str, text: str) -> Answer:
        self.files[path] = text
        return Answer(path=path, **self._answer)

    def upload_files(self, files: list[tuple[str, bytes]]) -> list[Answer]:
        self.files.update(files)
        return [Answer(path=path, **self._answer) for path, _ in files]


def test_csv_is_written_as_text_and_parquet_uploaded_as_bytes() -> None:
    files = Files()
    for fmt in ("csv", "parquet"):
        materialize_result(["a"], [(1,)], files, fmt=fmt, filename="x." + fmt)
    assert files.files["/x.csv"] == "a\r\n1\r\n"
    assert files.files["/x.parquet"].startswith(b"PAR1")


@pytest.mark.parametrize(("answer", "update"), [({}, None), ({"files_update": {"/x": 1}}, {"/x": 1})])
def test_an_update_of_the_state_is_passed_on_where_there_is_one(answer: Any, update: Any) -> None:
    assert materialize_result(["a"], [(1,)], Files(**answer)).files_update == update


@pytest.mark.parametrize("fmt", ["csv", "parquet"])
def test_an_error_of_the_backend_is_a_failed_write_with_the_name(fmt: str) -> None:
    files = Files(error="permission_denied")
    with pytest.raises(WriteFailedError, match=rf"did not take '/x\.{fmt}': permission_denied"):
        materialize_result(["a"], [(1,)], files, fmt=fmt, filename=f"x.{fmt}")


def test_an_agents_file_is_not_overwritten() -> None:
    assert materialize_result(["a"], [(1,)], AgentFiles(Files("/X.csv")), filename="x.csv").path == "/x-2.csv"


class Unlisted(Files):
    """Lists nothing that was written in this step, as an agent's state does."""

    def ls(self, path: str) -> Any:
        return Answer(entries=[])


@pytest.mark.parametrize("kind", [Files, Unlisted])
def test_results_of_tools_that_run_beside_each_other_lie_under_names_of_their_own(kind: type[Files]) -> None:
    files = kind()

    def save(n: int) -> str:
        return materialize_result(["n"], [(n,)], files, filename="x.csv").path

    with ThreadPoolExecutor(8) as threads:
        paths = list(threads.map(save, range(16)))
    assert [files.files[path] for path in paths] == [f"n\r\n{n}\r\n" for n in range(16)]


def test_a_name_that_the_backend_did_not_take_is_free_again() -> None:
    files = Unlisted(error="no space")
    with pytest.raises(WriteFailedError):
        materialize_result(["a"], [(1,)], files, filename="x.csv")
    files._answer.clear()
    assert materialize_result(["a"], [(1,)], files, filename="x.csv").path == "/x.csv"


def test_a_name_whose_file_was_deleted_is_free_again() -> None:
    files = Files()
    materialize_result(["a"], [(1,)], files, filename="x.csv")
    materialize_result(["a"], [(1,)], files, filename="y.csv")
    files.files.clear()
    assert materialize_result(["a"], [(1,)], files, filename="x.csv").path == "/x.csv"


# --- what is optional --------------------------------------------------------------------------------------


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes a library one that is not installed."""
    real = builtins.__import__

    def hide(*names: str) -> None:
        def importing(name: str, *rest: Any) -> Any:
            if name.partition(".")[0] in names:
                raise ImportError(name)
            return real(name, *rest)

        monkeypatch.setattr(builtins, "__import__", importing)

    return hide


def test_parquet_without_pyarrow_names_the_extra_before_a_row_is_pulled(without: Any) -> None:
    without("pyarrow")
    with pytest.raises(MissingExtraError, match=r"session-datasets\[arrow\]"):
        materialize_result(["a"], unpulled(), Kept(), fmt="parquet")


def test_csv_needs_the_standard_library_only(without: Any, tmp_path: Path) -> None:
    without("pyarrow", "pandas", "numpy", "langgraph", "langchain_core", "deepagents")
    assert materialize_result(["a"], [(1,)], tmp_path).row_count == 1


def test_a_command_without_langgraph_names_the_extra(without: Any) -> None:
    without("langgraph")
    with pytest.raises(MissingExtraError, match=r"session-datasets\[langgraph\]"):
        write_command("done", "call-1", None)


@pytest.mark.parametrize(("update", "files"), [(None, {}), ({}, {}), ({"/x": 1}, {"files": {"/x": 1}})], ids=repr)
def test_a_command_holds_the_message_and_the_update_of_files(update: Any, files: dict[str, Any]) -> None:
    command = write_command("done", "call-1", update)
    (message,) = command.update["messages"]  # type: ignore[index]
    assert (message.type, message.content, message.tool_call_id) == ("tool", "done", "call-1")
    assert {name: value for name, value in command.update.items() if name != "messages"} == files  # type: ignore[union-attr]


def test_a_local_file_needs_no_cloud_and_no_framework(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom session_datasets.materialize import LocalFolder, materialize_result\n"
        f"materialize_result(['a'], [(1,)], LocalFolder({str(tmp_path)!r}))\n"
        "print(sorted({'boto3', 'botocore', 'pyarrow', 'pandas', 'numpy', 'langgraph'} & set(sys.modules)))"
    )
    shared = str(Path(importlib.import_module("session_datasets").__file__ or "").parents[1])
    environment = {**os.environ, "PYTHONPATH": shared}
    ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"
