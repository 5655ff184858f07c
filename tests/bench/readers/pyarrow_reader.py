"""pyarrow: the row group that holds the page, and what is commonly written around it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.fs as fs
import pyarrow.parquet as pq

from tests.bench.given import BUCKET, Given
from tests.bench.readers.proofs import Step, encoded_proof, page_proof

_BLOCK_BYTES = 8 << 20


def page(given: Given) -> Step:
    """Its row group, read and sliced; the footer was read before."""
    store = fs.S3FileSystem(
        access_key="bench", secret_key="bench", region="us-east-1", scheme="http",
        endpoint_override=urlsplit(given.endpoint).netloc,
    )  # fmt: skip
    given.data.file(given.data.parquet)
    file = pq.ParquetFile(store.open_input_file(f"{BUCKET}/{given.data.parquet}"), pre_buffer=True)
    starts = _starts(file.metadata)
    limit = given.options["limit"]

    def step(number: int) -> Any:
        offset = given.offset(number, limit)
        first = max(group for group, start in enumerate(starts) if start <= offset)
        last = max(group for group, start in enumerate(starts) if start < offset + limit)
        rows = file.read_row_groups(list(range(first, last + 1))).slice(offset - starts[first], limit)
        as_json(rows)
        return page_proof(rows.num_rows, rows[given.data.key][0].as_py() if given.data.key else None)

    return step


def _starts(metadata: pq.FileMetaData) -> list[int]:
    starts = [0]
    for group in range(metadata.num_row_groups - 1):
        starts.append(starts[-1] + metadata.row_group(group).num_rows)
    return starts


def encode(given: Given) -> Step:
    """``to_pylist`` of the rows of the file ``first``, decoded already, and the standard library's JSON; what JSON has
    no word for becomes its text."""
    rows = pq.read_table(given.data.file(given.options["first"]))
    return lambda _: encoded_proof(rows.num_rows, as_json(rows))


def as_json(rows: pa.RecordBatch | pa.Table) -> str:
    return json.dumps(rows.to_pylist(), default=str)


def restart_on_failure(given: Given) -> Step:
    """Reads the file as typed by its first block; where a later value differs, its column becomes a wider one and
    everything begins anew, as is commonly done around a reader that decides early."""
    file = given.data.file(given.options["file"])

    def step(_: int) -> Any:
        types: dict[str, pa.DataType] = {}
        while True:
            try:
                return {"rows": _rows(file, types), "restarts": len(types), "input": file.stat().st_size}
            except pa.ArrowInvalid as error:
                name, type_ = _wider(str(error), file, types)
                types[name] = type_

    return step


def _rows(file: Path, types: dict[str, pa.DataType]) -> int:
    reader = pc.open_csv(
        file,
        read_options=pc.ReadOptions(block_size=_BLOCK_BYTES),
        convert_options=pc.ConvertOptions(column_types=types),
    )
    return sum(batch.num_rows for batch in reader)


def _wider(error: str, file: Path, types: dict[str, pa.DataType]) -> tuple[str, pa.DataType]:
    found = re.search(r"column #(\d+)", error)
    if found is None:
        raise RuntimeError(f"not a matter of types: {error}")
    with file.open() as text:
        name = text.readline().rstrip("\n").split(",")[int(found[1])].strip('"')
    number = re.search(r"invalid value '[-+\d.eE]+'", error)
    return name, pa.float64() if number and name not in types else pa.string()
