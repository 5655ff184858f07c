"""DuckDB with its extension for S3 from the package index, so that nothing is fetched while it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import duckdb
import duckdb_extension_httpfs

from tests.bench.given import BUCKET, Given
from tests.bench.readers.proofs import Step, page_proof
from tests.bench.readers.pyarrow_reader import as_json


def _connected(given: Given) -> duckdb.DuckDBPyConnection:
    database = duckdb.connect(config={"autoinstall_known_extensions": "false"})
    extensions = Path(duckdb_extension_httpfs.__file__).parent / "extensions"
    database.execute(f"LOAD '{next(extensions.rglob('httpfs.duckdb_extension'))}'")
    database.execute(
        f"""CREATE SECRET (TYPE s3, KEY_ID 'bench', SECRET 'bench', REGION 'us-east-1', USE_SSL false,
            URL_STYLE 'path', ENDPOINT '{urlsplit(given.endpoint).netloc}')"""
    )
    # The footer is kept between queries, as the others keep it.
    database.execute("SET enable_http_metadata_cache = true")
    database.execute("SET parquet_metadata_cache = true")
    # Pages are of places not seen before: what an earlier query fetched of the file is not kept.
    database.execute("SET enable_external_file_cache = false")
    database.execute("SET enable_progress_bar = false")
    return database


def _page(given: Given, table: str) -> Step:
    database, limit = _connected(given), given.options["limit"]

    def step(number: int) -> Any:
        query = f"SELECT * FROM {table} LIMIT {limit} OFFSET {given.offset(number, limit)}"
        rows = database.execute(query).to_arrow_table()
        as_json(rows)
        return page_proof(rows.num_rows, rows[given.data.key][0].as_py() if given.data.key else None)

    return step


def page(given: Given) -> Step:
    given.data.file(given.data.parquet)
    return _page(given, f"read_parquet('s3://{BUCKET}/{given.data.parquet}')")


def page_of_csv(given: Given) -> Step:
    given.data.file(given.data.csv)
    return _page(given, f"read_csv('s3://{BUCKET}/{given.data.csv}')")
