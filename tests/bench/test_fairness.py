"""What the readers of the benchmark find around them, and that what they answer is of one kind."""

from __future__ import annotations

import sysconfig
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from session_datasets.domain.names import Verb
from tests.bench.given import DataSet, Given
from tests.bench.making import Files, code_files
from tests.bench.measuring import Reader, Running
from tests.bench.places import ROOT

PACKAGES = ("boto3", "pyarrow", "numpy", "pandas", "hypothesis")


@pytest.fixture
def data(tmp_path: Path) -> DataSet:
    return DataSet(str(tmp_path), "none", 0, None, None, None)


def told(reader: Reader, data: DataSet) -> Mapping[str, Any]:
    """The answer of one round."""
    with Running(reader, Given("http://127.0.0.1:1", data)) as running:
        answer: Mapping[str, Any] = running.round(0)
    return answer


def packages_of(data: DataSet, function: Verb | None, without: tuple[str, ...] = ()) -> set[str]:
    reader = Reader("any", "looking_around.around", {"packages": PACKAGES}, function=function, without=without)
    return {name for name, there in told(reader, data)["found"]["found"].items() if there}


def test_a_reader_of_the_function_of_pages_finds_what_its_bundle_holds_and_no_numpy(data: DataSet) -> None:
    assert packages_of(data, Verb.READ_ROWS) == {"boto3", "pyarrow"}


@pytest.mark.parametrize("verb", [Verb.READ_COLUMNS, Verb.PROFILE_ARTIFACT])
def test_a_reader_of_a_numeric_function_finds_numpy_and_no_pandas(data: DataSet, verb: Verb) -> None:
    assert packages_of(data, verb) == {"boto3", "pyarrow", "numpy"}


def test_a_peer_finds_this_environment_but_for_what_it_does_without(data: DataSet) -> None:
    assert packages_of(data, None) == set(PACKAGES)
    assert packages_of(data, None, ("numpy", "pandas")) == {"boto3", "pyarrow", "hypothesis"}


def test_packages_of_this_environment_are_not_behind_those_of_a_bundle(data: DataSet) -> None:
    reader = Reader("any", "looking_around.around", function=Verb.READ_ROWS)
    path = told(reader, data)["found"]["path"]
    assert sysconfig.get_path("purelib") not in path
    assert sum(str(ROOT / ".local" / "bundles") in each for each in path) == 1


@pytest.mark.parametrize(("verb", "pool"), [(Verb.READ_ROWS, None), (Verb.PROFILE_ARTIFACT, "system"), (None, None)])
def test_a_reader_has_the_allocator_of_its_function(data: DataSet, verb: Verb | None, pool: str | None) -> None:
    reader = Reader("any", "looking_around.around", {"variable": "ARROW_DEFAULT_MEMORY_POOL"}, function=verb)
    assert told(reader, data)["found"]["variable"] == pool


def test_processor_time_of_a_child_counts(data: DataSet) -> None:
    assert told(Reader("any", "looking_around.child", {"seconds": 0.2}), data)["cpu_ms"] >= 190


def test_a_change_of_any_room_within_formats_registers_anew() -> None:
    package = ROOT / "shared" / "session_datasets"
    rooms = {file.parent.relative_to(package).as_posix() for file in code_files()}
    assert {"domain", "storage", "formats", "formats/csv", "formats/layout", "formats/measure"} <= rooms


def test_the_peer_that_encodes_a_page_is_given_the_rows_of_this_page_alone(tmp_path: Path) -> None:
    files = Files(tmp_path, lambda *_: None)
    data = files.rows_of(3_000)
    reader = Reader("pyarrow", "pyarrow_reader.encode", {"first": files.first_rows(data, 1_000)})
    assert told(reader, data)["found"]["proof"] == [1_000]
    assert pq.read_table(data.file(data.parquet)).slice(0, 1_000) == pq.read_table(data.file(reader.options["first"]))
