"""What the function that reads pages imports."""

from __future__ import annotations

import json
import subprocess
import sys

IMPORTED = """
import json, sys
sys.modules["numpy"] = None
import session_datasets.formats.paging
ours = [name for name in sys.modules if name.startswith("session_datasets.formats.")]
print(json.dumps(sorted(name.rpartition(".")[2] for name in ours)))
"""


def test_pages_are_read_without_numpy_and_without_what_reads_files() -> None:
    done = subprocess.run([sys.executable, "-c", IMPORTED], capture_output=True, text=True, check=True)
    imported = json.loads(done.stdout)
    assert {"pages", "arrow_pages", "segments"} <= set(imported)
    assert {"opening", "laying_out", "series", "pyramid", "csv_text", "parquet_file"}.isdisjoint(imported)
