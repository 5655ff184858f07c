"""What went through each verb, and what an agent would have seen of it all."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from infra.local.demo.meter import Meter
from session_datasets.cli.text import count, size
from session_datasets.domain.names import Verb


def print_summary(console: Console, meter: Meter) -> None:
    table = Table("verb", box=None)
    for title in ("calls", "rows", "answered", "file bytes", "S3 requests", "ms", "ms a call"):
        table.add_column(title, justify="right")
    for verb in Verb:
        if tally := meter.tallies.get(verb.value):
            table.add_row(
                verb.value,
                count(tally.calls),
                count(tally.rows or None),
                size(tally.answer_bytes),
                count(tally.file_bytes or None),
                count(tally.s3_requests or None),
                f"{tally.milliseconds:,.0f}",
                f"{tally.milliseconds / tally.calls:,.0f}",
            )
    console.print(table)
    console.print(
        "S3 requests: a page's or a chart's own reads, and the transfers on presigned URLs. "
        "The first call of a verb includes starting its function.",
        style="dim",
    )
