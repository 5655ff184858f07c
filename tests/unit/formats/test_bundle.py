"""The room works with what its Lambda bundles carry: the pages' has no numpy, the other has."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from tests.support.laid_out import laid_out
from tests.support.odd_files import arrow_file, npy, parquet
from tests.support.workbooks import workbook

ROOT = Path(__file__).parents[3]
# Blocks what a bundle does without.
BLOCK = """
import sys

ABSENT = {"pandas", "pyarrow.dataset", "pyarrow._dataset", "pyarrow.flight", "pyarrow._flight", "pyarrow._s3fs"}
ABSENT |= set(sys.argv[2].split())

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name in ABSENT or name.partition(".")[0] in ABSENT:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Absent())
sys.path[:0] = [sys.argv[1], sys.argv[1] + "/shared"]
"""
# Reads a page of what was laid out before.
READ = """
import pickle
from session_datasets.formats.reading.paging import PagedTables

layout, reader = pickle.load(sys.stdin.buffer)
print(PagedTables().read_rows(reader, layout, offset=0, limit=9, columns=None, max_bytes=9999).rows)
assert not ABSENT & set(sys.modules)
"""
# Lays a file out and reads a series of it.
MEASURE = """
from pathlib import Path
from session_datasets.domain.profile import Layout, ReadingHints
from session_datasets.formats.tables import ArrowTables
from tests.support.ranges import MemoryWriter

tables, writer = ArrowTables(), MemoryWriter()
table = tables.lay_out(Path(sys.argv[3]), sys.argv[4], ReadingHints(), writer)
layout, reader = Layout(table.layout_name, writer.commit(), table.layout_parameters), writer.reader()
print(tables.read_columns(reader, layout, columns=["a"], offset=0, rows=3, max_points=9).columns[0].values)
print(table.profile.statistics[0].mean)
assert not ABSENT & set(sys.modules)
"""


def printed(script: str, absent: str, *arguments: str, given: bytes = b"") -> list[str]:
    """What the script prints in a process of its own."""
    command = [sys.executable, "-c", BLOCK + script, str(ROOT), absent, *arguments]
    done = subprocess.run(command, input=given, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().splitlines()


@pytest.mark.parametrize(
    ("name", "data", "rows"),
    [
        (
            "rows.csv",
            b"a,t,x\n1,2024-01-01T00:00:00Z,1.5\n2,,nan\n3,,\n",
            [[1, "2024-01-01T00:00:00.000Z", 1.5], [2, None, "NaN"], [3, None, None]],
        ),
        ("rows.json", b'[{"a":1,"o":{"l":[1,null]}},{"a":2},{"a":3}]', [[1, {"l": [1, None]}], [2, None], [3, None]]),
        ("rows.jsonl", b'{"a":1}\n{"a":2}\n{"a":3}\n', [[1], [2], [3]]),
        ("rows.parquet", parquet({"a": [1, 2, 3], "l": [["x"], None, []]}), [[1, ["x"]], [2, None], [3, []]]),
    ],
)
def test_rows_are_read_without_numpy_and_the_pruned_parts_of_pyarrow(
    name: str, data: bytes, rows: list[object]
) -> None:
    dataset = laid_out(data, name)
    given = pickle.dumps((dataset.layout, dataset.reader))
    assert printed(READ, "numpy", given=given) == [str(rows)]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("rows.csv", b"a,t,x\n1,2024-01-01T00:00:00Z,1.5\n2,,nan\n3,,\n"),
        ("rows.json", b'[{"a":1,"o":{"l":[1,null]}},{"a":2},{"a":3}]'),
        ("rows.csv.zst", pa.Codec("zstd").compress(b"a\n1\n2\n3\n").to_pybytes()),
        ("rows.parquet", parquet({"a": [1, 2, 3], "l": [["x"], None, []]})),
        ("rows.arrow", arrow_file({"a": [1, 2, 3]}, compression="zstd")),
        ("rows.npy", npy(np.array([(1,), (2,), (3,)], dtype=[("a", "i8")]))),
        ("rows.xlsx", workbook({"Sheet1": [["a"], [1], [2], [3]]})),
    ],
)
def test_a_file_is_measured_without_pandas_and_the_pruned_parts_of_pyarrow(
    name: str, data: bytes, tmp_path: Path
) -> None:
    file = tmp_path / "original"
    file.write_bytes(data)
    assert printed(MEASURE, "", str(file), name) == ["[1, 2, 3]", "2.0"]
