"""What the function that reads pages imports."""

from __future__ import annotations

import json
import subprocess
import sys

IMPORTED = """
import json, sys
sys.modules["numpy"] = None
import session_datasets.formats.reading.paging
prefix = "session_datasets.formats."
print(json.dumps(sorted(name.removeprefix(prefix) for name in sys.modules if name.startswith(prefix))))
"""


def test_pages_are_read_without_numpy_and_without_what_reads_files() -> None:
    done = subprocess.run([sys.executable, "-c", IMPORTED], capture_output=True, text=True, check=True)
    imported = set(json.loads(done.stdout))
    assert {"reading.pages", "reading.arrow_pages", "layout.segments"} <= imported
    unneeded = {"opening", "csv", "json", "typed", "measure", "layout.laying_out", "layout.pyramid", "reading.series"}
    assert unneeded.isdisjoint(imported)
