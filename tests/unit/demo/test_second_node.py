"""Node two chooses what to chart from the schema, and opens what it loaded as any program would."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from infra.local.demo.opening import UnreadableError, count_rows
from infra.local.demo.second_node import _open, plottable
from infra.local.demo.telling import console_for
from session_datasets.domain.profile import Format
from session_datasets.wire.answers import DescribeArtifactAnswer, ProfilePart


def described(*columns: tuple[str, str, Any, Any, float | None]) -> DescribeArtifactAnswer:
    profile = ProfilePart.model_validate(
        {
            "shape": {"rows": 9, "columns": len(columns)},
            "columns": [{"name": name, "type": type_} for name, type_, *_ in columns],
            "statistics": [{"nulls": 0, "min": low, "max": high, "mean": mean} for _, _, low, high, mean in columns],
            "preview": {"rows": []},
        }
    )
    return DescribeArtifactAnswer.model_construct(profile=profile)


def test_the_numbers_that_move_most_are_charted() -> None:
    found = described(
        ("year", "int64", 2013, 2013, 2013.0),
        ("month", "int64", 1, 12, 6.5),
        ("delay", "double", -40.0, 1300.0, 12.0),
        ("price", "decimal128(38, 0)", "1", "500", 100.0),
        ("name", "string", "a", "z", None),
    )
    assert plottable(found) == ["delay", "price"]


def test_a_moment_is_charted_where_numbers_are_few() -> None:
    found = described(("n", "int64", 1, 2, 1.5), ("when", "timestamp[ms]", "2024-01-01", "2024-01-02", None))
    assert plottable(found) == ["n", "when"]


def test_texts_and_constants_are_no_chart() -> None:
    assert plottable(described(("a", "string", "a", "b", None), ("b", "int64", None, None, None))) == []


ROWS = [{"a": 1, "b": "x\ny"}, {"a": 2, "b": ""}]
CSV = 'a,b\n1,"x\ny"\n2,\n'
LINES = "".join(json.dumps(row) + "\n" for row in ROWS)


@pytest.mark.parametrize(
    ("content", "format_"),
    [
        (CSV.encode(), Format.CSV),
        (CSV.encode("utf-8-sig"), Format.CSV),
        (gzip.compress(CSV.encode()), Format.CSV),
        (b'a;b\n1,5;"x\ny"\n2,5;\n', Format.CSV),
        (b"a\tb\n1\t2\n3\t4\n", Format.CSV),
        ("a|b\n1|2\n3|4\n".encode("utf-8-sig"), Format.CSV),
        (b"a\nx;y\nz\n", Format.CSV),
        (json.dumps(ROWS).encode(), Format.JSON),
        (LINES.encode(), Format.JSON_LINES),
        (gzip.compress(LINES.encode() + b"\n"), Format.JSON_LINES),
    ],
)
def test_rows_of_a_text_are_counted_by_the_standard_library(tmp_path: Path, content: bytes, format_: Format) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    counted = count_rows(path, format_)
    assert counted is not None
    assert counted[0] == 2


def test_rows_of_a_parquet_file_are_in_its_footer(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1, 2, 3]}), tmp_path / "file")
    assert count_rows(tmp_path / "file", Format.PARQUET) == (3, "pyarrow")


def test_an_opaque_file_has_no_rows(tmp_path: Path) -> None:
    assert count_rows(tmp_path / "file", Format.OTHER) is None


def test_a_file_that_the_other_reader_cannot_read_is_told_with_its_reader(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("[1, 2")
    with pytest.raises(UnreadableError, match="Python's json module cannot read it: "):
        count_rows(tmp_path / "file", Format.JSON)


@pytest.mark.parametrize(
    ("content", "registered", "told"),
    [
        (CSV, 2, "✓ opened it with Python's csv module: 2 rows, as registered\n"),
        (CSV, 1, "· Another reader, Python's csv module, counts 2 rows; registered were 1.\n"),
    ],
    ids=["same", "other"],
)
def test_only_an_equal_count_is_ticked(tmp_path: Path, content: str, registered: int, told: str) -> None:
    (tmp_path / "file").write_text(content)
    terminal = io.StringIO()
    _open(console_for(terminal), tmp_path / "file", Format.CSV, registered)
    assert terminal.getvalue() == told


def test_a_file_that_is_not_compared_is_not_ticked(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("[1, 2")
    terminal = io.StringIO()
    _open(console_for(terminal), tmp_path / "file", Format.JSON, 2)
    assert terminal.getvalue().startswith("· Not compared with another reader: Python's json module cannot read it")
