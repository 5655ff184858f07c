"""A long text that an agent reads page by page is fetched once."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from session_datasets.client.transport import InProcessTransport
from session_datasets.client.workspace import Workspace
from session_datasets.domain.names import Verb
from session_datasets.tools import WorkspaceBackend, contents
from tests.support.moto_cloud import MotoCloud
from tests.unit.client.flaky import FlakyStorage, flaky_storage

# As many commas as no table has.
LINES = [f"line {number} of prose{', é' * (number % 7)}\n" for number in range(20_000)]


class Asked:
    """A session's files through a proxy that counts: ``verbs`` that the service was asked, and downloads."""

    def __init__(self, cloud: MotoCloud, folder: Path) -> None:
        self.verbs: Counter[Verb] = Counter()
        self._cloud = cloud
        self.workspace = Workspace(cloud.open(directory=folder).token, InProcessTransport(self._serve), folder)
        self.backend = WorkspaceBackend(self.workspace)

    def _serve(self, verb: Verb, body: Any) -> Any:
        self.verbs[verb] += 1
        return self._cloud.call(verb, body)

    def write(self, path: str, text: str) -> None:
        assert self.backend.write(path, text).error is None

    def page(self, path: str, offset: int, limit: int = 2_000) -> tuple[str, int | None]:
        read = self.backend.read(path, offset, limit)
        assert read.error is None
        assert read.file_data is not None
        return read.file_data["content"], read.next_offset

    def pages(self, path: str, limit: int = 2_000) -> list[str]:
        pages: list[str] = []
        offset: int | None = 0
        while offset is not None:
            content, offset = self.page(path, offset, limit)
            pages.append(content)
        return pages


@pytest.fixture
def asked(cloud: MotoCloud, tmp_path: Path) -> Asked:
    return Asked(cloud, tmp_path)


@pytest.fixture
def storage(moto_server: str) -> Any:
    with flaky_storage(moto_server) as storage:
        yield storage


def test_the_pages_of_a_long_text_are_its_lines_and_it_is_downloaded_once(
    storage: FlakyStorage, tmp_path: Path
) -> None:
    asked = Asked(MotoCloud(storage.endpoint), tmp_path)
    asked.write("/log.txt", "".join(LINES))
    pages = asked.pages("/log.txt")
    assert [len(page.splitlines()) for page in pages] == [2_000] * 10
    assert "".join(pages) == "".join(LINES)
    assert asked.verbs[Verb.LOAD_ARTIFACT] == 1
    assert len(storage.downloads()) == 1


def test_a_page_holds_no_more_bytes_than_one_read_answers(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contents, "READ_BYTES_MAX", 1_000)
    asked.write("/log.txt", "".join(LINES[:100]))
    pages = asked.pages("/log.txt")
    assert "".join(pages) == "".join(LINES[:100])
    assert max(len(page.encode()) for page in pages) <= 1_000
    assert asked.verbs[Verb.LOAD_ARTIFACT] == 1


def test_a_text_that_is_written_anew_is_fetched_anew(asked: Asked) -> None:
    asked.write("/log.txt", "".join(LINES))
    asked.page("/log.txt", 0)
    asked.write("/log.txt", "".join(LINES).upper())
    assert asked.page("/log.txt", 2_000, 1)[0] == LINES[2_000].upper()
    assert asked.verbs[Verb.LOAD_ARTIFACT] == 2


def test_the_text_read_last_is_the_only_one_that_is_kept(asked: Asked) -> None:
    for name in ("a", "b"):
        asked.write(f"/{name}.txt", "".join(LINES))
    for path in ("/a.txt", "/b.txt", "/b.txt", "/a.txt"):
        asked.page(path, 10)
    assert asked.verbs[Verb.LOAD_ARTIFACT] == 3


def test_a_small_text_that_is_read_between_two_pages_does_not_take_the_place_of_the_long_one(asked: Asked) -> None:
    asked.write("/log.txt", "".join(LINES))
    asked.write("/note.txt", "a note\n")
    for path, offset in (("/log.txt", 0), ("/note.txt", 0), ("/log.txt", 2_000)):
        asked.page(path, offset)
    assert asked.verbs[Verb.LOAD_ARTIFACT] == 2


def test_what_is_kept_is_not_shown_to_a_session_that_is_over(asked: Asked, cloud: MotoCloud) -> None:
    asked.write("/log.txt", "".join(LINES))
    asked.page("/log.txt", 0)
    cloud.orchestrator().end_conversation("chat", owner="acme", release_leases=True)
    assert asked.backend.read("/log.txt", 2_000).error


def test_nothing_is_left_in_the_working_directory_while_a_text_is_read_in_pages(asked: Asked) -> None:
    asked.write("/log.txt", "".join(LINES))
    asked.page("/log.txt", 0)
    assert list(asked.workspace.directory.iterdir()) == []
