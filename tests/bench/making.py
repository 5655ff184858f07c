"""The files that are read, made once and kept; and what registration writes of them."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import orjson
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq

from tests.bench.data import CHARTED, KEY, chunks
from tests.bench.given import BUCKET, DataSet
from tests.bench.places import ROOT

# Bytes of disk for each row: the CSV, the Parquet file, what registration writes, and a peer's copy of it.
BYTES_PER_ROW = 182 + 70 + 100 + 70
# Rows of a row group where pyarrow is not told otherwise.
_GROUP_ROWS = 1 << 20
# Rows of the file with one late conflict, and bytes of the JSON array.
CONFLICT_ROWS_MAX = 1_000_000
JSON_BYTES = 300_000_000
# Pages are read at these sizes too, to see whether their cost grows.
GROWTH_ROWS = (100_000, 1_000_000)

# Told of what is being made, and how far it is from 0 to 1.
Progress = Callable[[str, float], None]


class NotEnoughDisk(Exception):
    pass


def disk_needed(rows: int) -> int:
    """Bytes of everything that a whole run on ``rows`` rows makes."""
    smaller = sum(size for size in GROWTH_ROWS if size < rows)
    conflict = 2 * min(rows, CONFLICT_ROWS_MAX)
    return (rows + smaller + conflict) * BYTES_PER_ROW + 4 * min(JSON_BYTES, rows * 300)


@dataclass(frozen=True, slots=True)
class Files:
    """Makes what is missing below ``store``, the folder that the stand-in serves."""

    store: Path
    progress: Progress

    def require_disk(self, rows: int) -> None:
        """NotEnoughDisk unless a whole run on ``rows`` rows has room."""
        self.store.mkdir(parents=True, exist_ok=True)
        files = [each for each in self.store.rglob("*") if each.is_file() and not each.is_symlink()]
        missing = disk_needed(rows) - sum(each.stat().st_size for each in files)
        free = shutil.disk_usage(self.store).free
        if missing > free:
            raise NotEnoughDisk(
                f"{missing / 1e9:.1f} GB more are needed below {self.store}, {free / 1e9:.1f} GB are free. "
                "Nothing was made. Ask for fewer rows: make bench ROWS=1000000"
            )

    def rows_of(self, rows: int) -> DataSet:
        """The seeded data set as CSV and as Parquet with pyarrow's defaults."""
        folder = f"rows-{rows}"
        csv, parquet = f"{folder}/rows.csv", f"{folder}/rows.parquet"
        if not (self._path(csv).exists() and self._path(parquet).exists()):
            with self._arriving(csv) as text, self._arriving(parquet) as binary:
                self._write_rows(rows, text, binary)
        return DataSet(str(self.store), folder, rows, csv, parquet, f"{folder}/record.json", KEY, CHARTED)

    def with_late_conflict(self, data: DataSet) -> str:
        """The key of its CSV with one word among the integers of one column, in the last row."""
        key = f"{data.name}/late-conflict.csv"
        if not self._path(key).exists():
            with self._arriving(key) as path:
                shutil.copyfile(data.file(data.csv), path)
                _spoil_last_row(path)
        return key

    def first_rows(self, data: DataSet, rows: int) -> str | None:
        """The key of a Parquet file with its first ``rows`` rows and no others, None where it has no Parquet."""
        if data.parquet is None:
            return None
        key = f"{data.name}/first-{rows}.parquet"
        with self._arriving(key) as path:
            pq.write_table(
                pa.Table.from_batches([next(pq.ParquetFile(data.file(data.parquet)).iter_batches(rows))]), path
            )
        return key

    def json_array(self, rows: int) -> str:
        """The key of as many of the first rows as make ``JSON_BYTES``, one JSON array on one line."""
        key = f"rows-{rows}/array.json"
        if not self._path(key).exists():
            with self._arriving(key) as path, path.open("wb") as file:
                file.write(b"[")
                for chunk in chunks(rows):
                    file.write((b"," if file.tell() > 1 else b"") + _records(chunk))
                    self.progress("a JSON array on one line", min(1.0, file.tell() / JSON_BYTES))
                    if file.tell() >= JSON_BYTES:
                        break
                file.write(b"]")
        return key

    def given_file(self, file: Path) -> DataSet:
        """A file of somebody's own, linked into the store; rows and columns are known when it is registered.

        The peers read it as Parquet: itself, or what pyarrow makes of it with its defaults, where it can.
        """
        resolved = file.resolve(strict=True)
        folder = f"file-{hashlib.sha256(str(resolved).encode()).hexdigest()[:12]}"
        own = f"{folder}/{resolved.name}"
        link = self._path(own)
        link.parent.mkdir(parents=True, exist_ok=True)
        link.unlink(missing_ok=True)
        link.symlink_to(resolved)
        with resolved.open("rb") as begin:
            is_parquet = begin.read(4) == b"PAR1"
        csv, parquet = (None, own) if is_parquet else (own, self._as_parquet(own))
        return DataSet(str(self.store), folder, 0, csv, parquet, f"{folder}/record.json")

    def _write_rows(self, rows: int, csv: Path, parquet: Path) -> None:
        made = 0
        with ExitStack() as stack:
            schema = next(chunks(1)).schema
            text = stack.enter_context(pc.CSVWriter(csv, schema))
            binary = stack.enter_context(pq.ParquetWriter(parquet, schema))
            for group in _groups(chunks(rows)):
                text.write_table(group)
                binary.write_table(group)
                made += group.num_rows
                self.progress(f"{rows:,} rows as CSV and Parquet", made / rows)

    def _as_parquet(self, csv: str) -> str | None:
        key = f"{csv}.parquet"
        try:
            with (
                self._arriving(key) as path,
                pc.open_csv(self._path(csv)) as reader,
                pq.ParquetWriter(path, reader.schema) as writer,
            ):
                for group in _groups(pa.Table.from_batches([batch]) for batch in reader):
                    writer.write_table(group)
        except pa.ArrowInvalid:
            return None
        return key

    def _path(self, key: str) -> Path:
        return self.store / BUCKET / key

    @contextmanager
    def _arriving(self, key: str) -> Iterator[Path]:
        """A file that appears under its key when it is whole."""
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(f"{path.name}.partial")
        try:
            yield partial
            os.replace(partial, path)
        finally:
            partial.unlink(missing_ok=True)


def _groups(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """The tables joined to the row groups that pyarrow writes when it is not told otherwise."""
    held: list[pa.Table] = []
    for table in tables:
        held.append(table)
        while sum(each.num_rows for each in held) >= _GROUP_ROWS:
            joined = pa.concat_tables(held)
            yield joined.slice(0, _GROUP_ROWS)
            rest = joined.slice(_GROUP_ROWS)
            held = [rest] if rest.num_rows else []
    if held:
        yield pa.concat_tables(held)


def _spoil_last_row(csv: Path) -> None:
    with csv.open("r+b") as file:
        file.seek(-4_096, os.SEEK_END)
        last = file.read().splitlines(keepends=True)[-1]
        first, _, rest = last.split(b",", 2)
        file.seek(-len(last), os.SEEK_END)
        file.write(first + b",unknown," + rest)
        file.truncate()


def _records(table: pa.Table) -> bytes:
    """Its rows as JSON objects, a comma between two; numbers as short as they can be written."""
    return orjson.dumps(table.to_pylist())[1:-1]


# --- what registration wrote ---------------------------------------------------------------------------------


def is_registered(data: DataSet) -> bool:
    """Whether this very code laid the file out before."""
    stamp = _stamp(data)
    return stamp.exists() and data.file(data.record).exists() and json.loads(stamp.read_text()) == _code()


def stamp_registered(data: DataSet) -> None:
    _stamp(data).write_text(json.dumps(_code()))


def _stamp(data: DataSet) -> Path:
    return data.file(f"{data.name}/registered-by.json")


def _code() -> str:
    """What laid out depends on: a change of any of these files lays out anew."""
    digest = hashlib.sha256()
    for file in code_files():
        digest.update(file.read_bytes())
    return digest.hexdigest()


def code_files() -> list[Path]:
    """Those files, of rooms within rooms, too."""
    package = ROOT / "shared" / "session_datasets"
    return [file for room in ("domain", "formats", "storage") for file in sorted((package / room).rglob("*.py"))]


def described(data: DataSet) -> DataSet:
    """A registered data set with its rows, and a column to chart, as its record has them."""
    record = json.loads(data.file(data.record).read_bytes())
    profile = record["profile"]
    numeric = [
        column["name"] for column in profile["columns"] if column["type"].startswith(("int", "uint", "float", "double"))
    ]
    charted = data.charted or next(iter(numeric), None)
    return replace(data, rows=profile["shape"]["rows"], charted=charted)
