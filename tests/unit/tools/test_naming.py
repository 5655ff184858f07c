from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from session_datasets.tools.naming import Names, entry_at, name_of, path_of
from session_datasets.wire.answers import SummaryPart
from session_datasets.wire.requests import Name
from tests.unit.tools import stand_in

# Of three seconds, the newest first.
IDS = ["art_" + letter * 26 for letter in "cba"]


def _listed(*names: str) -> list[SummaryPart]:
    return [stand_in.summary(name=name, artifact_id=id_) for name, id_ in zip(names, IDS, strict=False)]


@pytest.mark.parametrize(
    ("path", "name"), [("/a.csv", "a.csv"), ("a.csv", "a.csv"), ("//a//b.csv", "a/b.csv"), ("/./a.csv", "a.csv")]
)
def test_a_path_is_the_name_without_its_first_slash(path: str, name: str) -> None:
    assert name_of(path) == name


@pytest.mark.parametrize("path", ["", "/", " ", "/ .", "/a/", "/a/ ", "/../a", "/a/../b", "/ .. ", "/" + "a" * 201])
def test_a_path_that_leads_elsewhere_is_no_name(path: str) -> None:
    assert name_of(path) is None


@pytest.mark.parametrize("mark", ["\0", "\n", "\x1b", "\u2028", "\u202e", "\ud800"], ids=ascii)
def test_a_path_with_what_the_service_takes_in_no_name_is_none(mark: str) -> None:
    assert name_of(f"/a{mark}b.csv") is None


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/sp .txt ", "/sp .txt"),
        ("/ lead/ x.txt", "/lead/ x.txt"),
        ("\t/a.txt\n", "/a.txt"),
        ("/ /a.txt", "/a.txt"),
        ("/\u00a0a.txt\u3000", "/a.txt"),
        ("/folder /a.txt", "/folder /a.txt"),
    ],
)
def test_blanks_around_a_path_are_left_out_where_it_is_written_and_where_it_is_read(path: str, shown: str) -> None:
    name = name_of(path)
    assert path_of(path) == shown == f"/{name}"
    listed = _listed(str(name))
    for spelled in (path, shown):
        assert entry_at(listed, spelled) == Names.of(listed).below(spelled)[0]


@given(st.text(max_size=12) | st.text(" /.a\t", max_size=12))
def test_what_was_written_at_a_path_is_found_at_that_path(path: str) -> None:
    name = name_of(path)
    if name is None:
        return
    assert TypeAdapter(Name).validate_python(name) == name
    assert path_of(path) == path_of(name) == f"/{name}"
    found = entry_at(_listed(name), path)
    assert found is not None
    assert found.path == f"/{name}"


@pytest.mark.parametrize("folder", ["/ data", "/data/", "data", " /data", "/./data"])
def test_a_folder_is_listed_by_any_spelling_of_its_path(folder: str) -> None:
    assert [each.path for each in Names.of(_listed("data/a.csv", "b.csv")).directly_in(folder)] == ["/data/a.csv"]


def test_the_root_has_every_file_also_beside_one_whose_name_is_nothing_but_dots() -> None:
    assert [each.path for each in Names.of(_listed("..", "a.csv")).below("/")] == ["/_", "/a.csv"]


def test_a_folder_that_leads_up_is_empty() -> None:
    assert Names.of(_listed("a/b.csv", "c.csv")).directly_in("/a/..") == []


def test_folders_come_from_the_slashes_of_names() -> None:
    names = Names.of(_listed("data/a.csv", "data/deep/b.csv", "c.csv"))
    assert [(each.path, each.artifact_id is None) for each in names.directly_in("/")] == [
        ("/c.csv", False),
        ("/data", True),
    ]
    assert [each.path for each in names.directly_in("/data")] == ["/data/a.csv", "/data/deep"]
    assert [each.path for each in names.below("/data")] == ["/data/a.csv", "/data/deep/b.csv"]
    assert [each.path for each in names.below("/c.csv")] == ["/c.csv"]
    assert names.directly_in("/nothing") == []


def test_of_one_name_the_newest_has_the_path_and_the_others_their_id() -> None:
    listed = _listed("a", "a", "b")
    assert [each.path for each in Names.of(listed).below("/")] == ["/a", f"/a@{IDS[1]}", "/b"]
    assert [entry_at(listed, path).artifact_id for path in ("/a", f"/a@{IDS[1]}", f"/@{IDS[2]}")] == IDS  # type: ignore[union-attr]


def test_a_path_is_looked_for_no_further_than_it_is_found() -> None:
    def listing() -> Iterator[SummaryPart]:
        # One more is asked for, to see that it is of another second.
        yield from _listed("a", "b", "c")
        pytest.fail("more of the listing was asked for")

    found = entry_at(listing(), "/b")
    assert found is not None
    assert found.artifact_id == IDS[1]


@pytest.mark.parametrize("order", [1, -1])
def test_of_one_name_and_one_second_the_one_registered_last_has_the_path(order: int) -> None:
    first, second = ("art_" + "a" * 25 + letter for letter in "ab")
    listed = [
        stand_in.summary(name="a", artifact_id=first, created_at=datetime(2026, 1, 1, microsecond=1, tzinfo=UTC)),
        stand_in.summary(name="a", artifact_id=second, created_at=datetime(2026, 1, 1, microsecond=2, tzinfo=UTC)),
    ][::order]
    found = entry_at(listed, "/a")
    assert found is not None
    assert found.artifact_id == second
    assert [each.path for each in Names.of(listed).below("/")] == ["/a", f"/a@{first}"]


def test_a_path_of_nothing_is_not_found() -> None:
    assert entry_at(_listed("a"), "/b") is None
    assert entry_at(_listed("a"), "/a@art_other") is None


@given(st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=3))
def test_every_artifact_has_one_path_that_finds_it(names: list[str]) -> None:
    listed = _listed(*names)
    entries = Names.of(listed).below("/")
    assert [each.artifact_id for each in entries] == IDS[: len(names)]
    assert len({each.path for each in entries}) == len(names)
    for each in entries:
        assert ".." not in each.path.split("/")
        assert entry_at(listed, each.path) == each
