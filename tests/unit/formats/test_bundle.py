"""The room works with what its Lambda bundle carries."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.odd_files import parquet

ROOT = Path(__file__).parents[3]
# Blocks what the bundle does without, then reads one file whole: rows, and a series of two points.
SCRIPT = """
import sys

ABSENT = {"numpy", "pandas"} | {
    "pyarrow.dataset", "pyarrow._dataset", "pyarrow.flight", "pyarrow._flight", "pyarrow._s3fs"
}

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name in ABSENT or name.partition(".")[0] in ABSENT:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Absent())
sys.path[:0] = [sys.argv[1], sys.argv[1] + "/shared"]

from pathlib import Path
from session_datasets.domain.profile import Layout, ReadingHints
from session_datasets.formats.tables import ArrowTables
from tests.support.ranges import MemoryWriter

tables, writer = ArrowTables(), MemoryWriter()
table = tables.lay_out(Path(sys.argv[2]), sys.argv[3], ReadingHints(), writer)
layout, reader = Layout(table.layout_name, writer.commit(), table.layout_parameters), writer.reader()
print(tables.read_rows(reader, layout, offset=0, limit=9, columns=None, max_bytes=9999).rows)
print(tables.read_columns(reader, layout, columns=["a"], offset=0, rows=3, max_points=2).columns[0].max)
print(table.profile.statistics[0].mean)
assert not ABSENT & set(sys.modules)
"""


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
def test_a_file_is_read_without_numpy_and_the_pruned_parts_of_pyarrow(
    name: str, data: bytes, rows: list[object], tmp_path: Path
) -> None:
    file = tmp_path / "original"
    file.write_bytes(data)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(ROOT), str(file), name], capture_output=True, text=True, check=False
    )
    assert done.stdout.splitlines() == [str(rows), "[2, 3]", "2.0"], done.stderr
