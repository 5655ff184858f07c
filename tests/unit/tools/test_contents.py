"""What a search through the files of a session asks for."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from session_datasets import Workspace
from session_datasets.domain.limits import KIB
from session_datasets.tools import contents
from session_datasets.tools.contents import Contents
from session_datasets.tools.naming import Entry


class Files:
    """As much of a workspace as a search needs; ``loaded`` are the ids of the files that were fetched."""

    def __init__(self, directory: Path, **files: bytes) -> None:
        self.directory = directory
        self.loaded: list[str] = []
        self._files = files

    def load_artifact(self, reference: dict[str, Any], to: str, *, overwrite: bool) -> Path:
        self.loaded.append(reference["artifact_id"])
        path = self.directory / to
        path.write_bytes(self._files[reference["artifact_id"]])
        return path

    def entries(self) -> list[Entry]:
        return [Entry(f"/{id_}", id_, len(content), format="other") for id_, content in self._files.items()]


def _searched(files: Files) -> tuple[list[tuple[int, str]], bool]:
    search = Contents(cast("Workspace", files)).search()
    return [line for entry in files.entries() for line in search.lines(entry)], search.truncated


@pytest.mark.parametrize("line", ["x", "x" * 200, "x" * 40 * KIB], ids=["short", "usual", "long"])
def test_a_search_fetches_a_text_once_however_long_it_is(tmp_path: Path, line: str) -> None:
    count = 1_000 * KIB // (len(line) + 1)
    files = Files(tmp_path, log=f"{line}\n".encode() * count)
    found, truncated = _searched(files)
    assert found == [(number, line) for number in range(1, count + 1)]
    assert files.loaded == ["log"]
    assert not truncated


def test_a_search_counts_the_bytes_of_what_is_no_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contents, "SEARCH_BYTES_MAX", 10)
    files = Files(tmp_path, image=b"\0" * 6, picture=b"\0" * 6, notes=b"a\nb")
    assert _searched(files) == ([(1, "a"), (2, "b")], True)
    assert files.loaded == ["image", "notes"]


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("deep/er/a.csv", "a.csv"),
        ("\N{EURO SIGN}" * 190 + ".csv", "\N{EURO SIGN}" * 83 + ".csv"),
        ("\U0001f600" * 200, "\U0001f600" * 63),
        ("a." + "\U0001f600" * 198, "a." + "\U0001f600" * 63),
    ],
    ids=["short", "with a suffix", "without", "nothing but a suffix"],
)
def test_a_file_of_a_long_name_has_one_that_a_file_system_takes(tmp_path: Path, name: str, file: str) -> None:
    sent: list[tuple[str, bytes, str]] = []

    class Registering:
        def register_artifact(self, source: Path, *, name: str, wait: bool) -> None:
            sent.append((source.name, source.read_bytes(), name))

    Contents(cast("Workspace", Registering())).register(name, b"x")
    assert sent == [(file, b"x", name)]
