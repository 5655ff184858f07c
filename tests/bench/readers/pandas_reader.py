"""pandas, which streams what it is given."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path
from typing import Any

import boto3
import pandas as pd

from tests.bench.given import BUCKET, Given
from tests.bench.readers.proofs import Step, page_proof


def page_of_csv(given: Given) -> Step:
    """The lines before the page are streamed past; the header was read before."""
    given.data.file(given.data.csv)
    s3, limit = boto3.client("s3"), given.options["limit"]
    head = s3.get_object(Bucket=BUCKET, Key=given.data.csv, Range="bytes=0-65535")["Body"].read()
    names = list(pd.read_csv(io.BytesIO(head), nrows=0).columns)

    def step(number: int) -> Any:
        offset = given.offset(number, limit)
        body = s3.get_object(Bucket=BUCKET, Key=given.data.csv)["Body"]
        rows = pd.read_csv(body, skiprows=offset + 1, nrows=limit, header=None, names=names)
        body.close()
        rows.to_json(orient="values")
        return page_proof(len(rows), rows[given.data.key].iloc[0] if given.data.key else None)

    return step


def json_array(given: Given) -> Step:
    file = given.data.file(given.options["file"])

    def step(_: int) -> Any:
        with tempfile.TemporaryDirectory(dir=file.parent) as folder:
            rows = pd.read_json(file)
            rows.to_parquet(Path(folder) / "converted.parquet")
        return {"rows": len(rows), "input": file.stat().st_size}

    return step
