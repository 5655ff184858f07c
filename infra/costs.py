"""What a million calls of each verb cost, from counted requests and bytes; ``python -m infra.costs`` writes the table.

What a call asks of the stores is measured where the whole service runs in one process; a test holds ``USAGE`` to it.
Two things are not: how long a function runs in an account, which is assumed until somebody measures it there, and the
units of DynamoDB, which follow from the sizes of the items.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from infra.environments import Production
from session_datasets.domain.names import Verb

OPERATING = Path(__file__).resolve().parents[1] / "docs" / "operating.md"
BEGIN, END = "<!-- costs: made by python -m infra.costs -->", "<!-- end of costs -->"

MILLION = 1_000_000


@dataclass(frozen=True)
class Prices:
    """US dollars; list prices of one region, and when each was last published as such."""

    region: str = "us-east-1"
    known_of: str = "between November 2024 (DynamoDB) and May 2026 (Lambda)"
    source: str = "aws.amazon.com/SERVICE/pricing"
    lambda_request: float = 0.20 / MILLION
    lambda_gb_second: float = 0.0000133334  # arm64
    s3_get: float = 0.40 / MILLION  # and HEAD
    s3_put: float = 5.00 / MILLION  # and LIST; DELETE is free
    dynamodb_read_unit: float = 0.125 / MILLION
    dynamodb_write_unit: float = 0.625 / MILLION
    logs_gb: float = 0.50
    # A month each, called or not; an alarm is charged for each metric that it reads.
    alarm_metric: float = 0.10
    secret: float = 0.40
    key: float = 1.00
    # Lambda asks an empty queue so often in a month, with five long polls at a time.
    idle_polls: int = 650_000
    sqs_request: float = 0.40 / MILLION
    trace: float = 5.00 / MILLION
    # X-Ray takes the first call of a second and this share of the others.
    traced_share: float = 0.05


@dataclass(frozen=True)
class Usage:
    """One call. ``requests`` are those of S3 and DynamoDB by operation; units are DynamoDB's, a consistent read of up
    to 4 KB or a write of up to 1 KB each, twice of it in a transaction and once more in an index."""

    what: str
    requests: Mapping[str, int]
    milliseconds: int
    read_units: float = 0
    write_units: float = 0
    # The line of the outcome and the metrics in it, measured; beside it Lambda's own lines.
    log_bytes: int = 800


# Lambda's three lines of a call (start, end, report) as JSON.
PLATFORM_LOG_BYTES = 900

RECORD_WRITE_UNITS = 2 * 4 + 1  # up to 4 KB in a transaction, and its summary in one index

USAGE: Mapping[Verb, Usage] = {
    Verb.OPEN_SESSION: Usage(
        "two leases",
        {"dynamodb.PutItem": 1, "dynamodb.UpdateItem": 1},
        milliseconds=40,
        write_units=2,
    ),
    Verb.PREPARE_UPLOAD: Usage(
        "a file of up to 16 MiB that is not there yet",
        {"dynamodb.GetItem": 1, "s3.HeadObject": 1},
        milliseconds=50,
        read_units=1,
    ),
    Verb.REGISTER_ARTIFACT: Usage(
        "a CSV of a megabyte",
        {
            "dynamodb.GetItem": 2,
            "dynamodb.TransactWriteItems": 1,
            "s3.HeadObject": 1,
            "s3.GetObject": 1,
            "s3.PutObject": 3,
        },
        milliseconds=500,
        read_units=2,
        write_units=RECORD_WRITE_UNITS + 2,
    ),
    Verb.LIST_ARTIFACTS: Usage(
        "twenty artifacts of a run or a conversation, few of them the session's own",
        {"dynamodb.Query": 2},
        milliseconds=50,
        read_units=3,
    ),
    Verb.DESCRIBE_ARTIFACT: Usage("a record of up to 4 KB", {"dynamodb.GetItem": 1}, milliseconds=30, read_units=1),
    Verb.LOAD_ARTIFACT: Usage(
        "a presigned URL; the download itself is a GET",
        {"dynamodb.GetItem": 1, "dynamodb.TransactWriteItems": 1, "s3.HeadObject": 1},
        milliseconds=60,
        read_units=1,
        write_units=4,
    ),
    Verb.READ_ROWS: Usage(
        "a page of a record not read in the last minute",
        {"dynamodb.GetItem": 1, "s3.GetObject": 1},
        milliseconds=60,
        read_units=1,
    ),
    Verb.READ_COLUMNS: Usage(
        "one column of a short window",
        {"dynamodb.GetItem": 1, "s3.GetObject": 1},
        milliseconds=80,
        read_units=1,
    ),
}


@dataclass(frozen=True)
class Cost:
    """Dollars of one call, by who charges them."""

    compute: float
    s3: float
    dynamodb: float
    logs: float
    traces: float

    @property
    def total(self) -> float:
        return self.compute + self.s3 + self.dynamodb + self.logs + self.traces


def cost_of(verb: Verb, prices: Prices | None = None) -> Cost:
    """In production's sizes. Putting on a caller's role is free; NAT gateways and data that leaves are not in it."""
    prices, used = prices or Prices(), USAGE[verb]
    gb_seconds = Production().size_of(verb).memory_mib / 1024 * used.milliseconds / 1000
    return Cost(
        compute=prices.lambda_request + gb_seconds * prices.lambda_gb_second,
        s3=sum(count * _s3_price(request, prices) for request, count in used.requests.items()),
        dynamodb=used.read_units * prices.dynamodb_read_unit + used.write_units * prices.dynamodb_write_unit,
        logs=(used.log_bytes + PLATFORM_LOG_BYTES) / 1_000_000_000 * prices.logs_gb,
        traces=prices.traced_share * prices.trace,
    )


def table() -> str:
    """The table of docs/operating.md: dollars of a million calls."""
    prices = Prices()
    lines = [
        f"List prices of {prices.region} as published {prices.known_of}; look them up at",
        f"{prices.source} before you rely on a sum. Requests and bytes of logs are counted, milliseconds are assumed.",
        "",
        "| verb | a call | ms x MiB | Lambda | S3 | DynamoDB | logs | X-Ray | a million calls |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for verb, used in USAGE.items():
        cost = cost_of(verb)
        parts = [cost.compute, cost.s3, cost.dynamodb, cost.logs, cost.traces]
        dollars = " | ".join(f"{part * MILLION:,.2f}" for part in parts)
        size = f"{used.milliseconds} x {Production().size_of(verb).memory_mib:,}"
        lines.append(f"| `{verb}` | {used.what} | {size} | {dollars} | ${cost.total * MILLION:,.2f} |")
    return "\n".join(lines)


def with_table(text: str) -> str:
    """The document with the table of now; ValueError when it has no place for it."""
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


def _s3_price(request: str, prices: Prices) -> float:
    service, operation = request.split(".")
    if service != "s3":
        return 0
    if operation in ("GetObject", "HeadObject"):
        return prices.s3_get
    return 0 if operation.startswith("Delete") else prices.s3_put


if __name__ == "__main__":
    OPERATING.write_text(with_table(OPERATING.read_text()))
