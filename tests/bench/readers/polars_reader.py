"""polars, as its documentation has it: lazy scans that push the slice down."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import polars as pl

from tests.bench.given import BUCKET, Given
from tests.bench.readers.proofs import Step, page_proof


def _options(given: Given) -> dict[str, str]:
    return {
        "aws_endpoint_url": given.endpoint,
        "aws_allow_http": "true",
        "aws_region": "us-east-1",
        "aws_access_key_id": "bench",
        "aws_secret_access_key": "bench",
        "aws_virtual_hosted_style_request": "false",
    }


def _url(given: Given, key: str | None) -> str:
    given.data.file(key)
    return f"s3://{BUCKET}/{key}"


def _page(given: Given, scanned: pl.LazyFrame) -> Step:
    limit = given.options["limit"]

    def step(number: int) -> Any:
        rows = scanned.slice(given.offset(number, limit), limit).collect()
        rows.write_json()
        return page_proof(rows.height, rows[given.data.key][0] if given.data.key else None)

    return step


def page(given: Given) -> Step:
    return _page(given, pl.scan_parquet(_url(given, given.data.parquet), storage_options=_options(given)))


def page_of_csv(given: Given) -> Step:
    return _page(given, pl.scan_csv(_url(given, given.data.csv), storage_options=_options(given)))


def chart(given: Given) -> Step:
    """Reads the column's window and takes least and greatest of each bucket."""
    points, name = given.options["points"], given.data.charted
    scanned = pl.scan_parquet(_url(given, given.data.parquet), storage_options=_options(given)).select(name)

    def step(number: int) -> Any:
        offset, rows = given.window(number)
        bucket = max(1, -(-rows // points))
        buckets = (
            scanned.slice(offset, rows)
            .with_row_index("row")
            .group_by(pl.col("row") // bucket, maintain_order=True)
            .agg(pl.col(name).min().alias("min"), pl.col(name).max().alias("max"))
            .collect()
        )
        json.dumps(buckets.to_dict(as_series=False))
        return {"proof": [buckets["min"].min(), buckets["max"].max()]}

    return step


def column(given: Given) -> Step:
    scanned = pl.scan_parquet(_url(given, given.data.parquet), storage_options=_options(given)).select(
        given.data.charted
    )
    return lambda _: {"proof": [scanned.collect().height]}


def register(given: Given) -> Step:
    """The same work as two passes: convert to Parquet, then statistics of every column."""
    file = given.data.file(given.options["file"])

    def step(_: int) -> Any:
        with tempfile.TemporaryDirectory(dir=file.parent) as folder:
            converted = Path(folder) / "converted.parquet"
            pl.scan_csv(file, try_parse_dates=True).sink_parquet(converted, compression="zstd", compression_level=1)
            rows = _statistics(pl.scan_parquet(converted))
        return {"rows": rows, "input": file.stat().st_size}

    return step


def json_array(given: Given) -> Step:
    file = given.data.file(given.options["file"])

    def step(_: int) -> Any:
        with tempfile.TemporaryDirectory(dir=file.parent) as folder:
            rows = pl.read_json(file)
            rows.write_parquet(Path(folder) / "converted.parquet")
        return {"rows": rows.height, "input": file.stat().st_size}

    return step


def _statistics(scanned: pl.LazyFrame) -> int:
    numbers = [name for name, type_ in scanned.collect_schema().items() if type_.is_numeric()]
    found = scanned.select(
        pl.len().alias("rows"),
        pl.all().null_count().name.suffix(" nulls"),
        pl.all().min().name.suffix(" min"),
        pl.all().max().name.suffix(" max"),
        pl.all().approx_n_unique().name.suffix(" distinct"),
        pl.col(numbers).mean().name.suffix(" mean"),
    ).collect(engine="streaming")
    return int(found["rows"][0])
