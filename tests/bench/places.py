"""Where the benchmark keeps what it makes; ``make bench-clean`` removes all of it."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".local" / "bench"
# The stand-in's buckets.
STORE = FOLDER / "store"
RESULTS = FOLDER / "results.json"
PAPER = ROOT / "docs" / "benchmarks.md"
