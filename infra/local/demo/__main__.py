"""``python -m infra.local.demo [FILE]``: with FILE, your own instead of the flights of 2013."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from infra.local.demo.story import main

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m infra.local.demo", description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, help="CSV, JSON, JSON Lines or Parquet; anything else just loads")
    sys.exit(main(parser.parse_args().file))
