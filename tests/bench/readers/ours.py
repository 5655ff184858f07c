"""Session Datasets: the functions' own doors, down to the JSON that they answer."""

from __future__ import annotations

from typing import Any

import orjson

from session_datasets.domain.limits import GIB
from session_datasets.domain.names import Verb
from session_datasets.domain.profile import Role
from session_datasets.formats.layout.columns import Columns, Footers
from session_datasets.formats.layout.directory import Directories
from session_datasets.formats.reading.paging import PagedTables
from tests.bench.given import Given
from tests.bench.readers.proofs import Step, page_proof, window_proof
from tests.bench.service import BenchService, write_record

# Above what one function run is allowed: the rate is measured, not the allowance.
_TABLE_BYTES_MAX = 50 * GIB


def page(given: Given) -> Step:
    """A page as read_rows answers it."""
    service, limit = BenchService(PagedTables(), given.data.file(given.data.record)), given.options["limit"]

    def step(number: int) -> Any:
        answer = service.call(Verb.READ_ROWS, offset=given.offset(number, limit), limit=limit)
        # As the handlers spell it for Lambda's runtime.
        orjson.dumps(answer)
        names = [column["name"] for column in answer["columns"]]
        first = answer["rows"][0][names.index(given.data.key)] if given.data.key else None
        return page_proof(answer["returned"], first) | {"s3_requests": answer["s3_requests"]}

    return step


def chart(given: Given) -> Step:
    """A series as read_columns answers it."""
    service, points = BenchService(_tables(), given.data.file(given.data.record)), given.options["points"]

    def step(number: int) -> Any:
        offset, rows = given.window(number)
        answer = service.call(
            Verb.READ_COLUMNS, columns=[given.data.charted], offset=offset, rows=rows, max_points=points
        )
        orjson.dumps(answer)
        column = answer["columns"][0]
        low, high = column.get("min") or column["values"], column.get("max") or column["values"]
        return window_proof(low, high)

    return step


def column(given: Given) -> Step:
    """One column of all rows from the columns object, whose footer a warm process has, as a warm peer does."""
    service = BenchService(PagedTables(), given.data.file(given.data.record))
    assert service.artifact
    assert service.artifact.layout
    layout = service.artifact.layout
    directory = Directories().of(service.derived.reader(layout), layout)
    (place,) = directory.chosen([given.data.charted or ""])
    footers = Footers()
    footer = footers.of(service.derived.reader(layout), layout, directory)
    groups = (footer.row_group(group) for group in range(footer.num_row_groups))
    column_bytes = sum(group.column(place).total_compressed_size for group in groups)

    def step(_: int) -> Any:
        columns = Columns(service.derived.reader(layout), layout, directory, footers)
        rows = sum(batch.num_rows for batch in columns.read([place], 0, given.data.rows))
        return {"proof": [rows], "column_bytes": column_bytes, "row_groups": footer.num_row_groups}

    return step


def _tables() -> Any:
    """The tables of the functions that measure files and draw charts; what they import, a page does not need."""
    from session_datasets.formats.tables import ArrowTables

    return ArrowTables(bytes_max=_TABLE_BYTES_MAX)


def register(given: Given) -> Step:
    """Types, profile and layout of one file; ``options``: the ``file``, and where the ``record`` goes, if anywhere."""
    service = BenchService(_tables())
    file, name = given.data.file(given.options["file"]), given.options["name"]

    def step(_: int) -> Any:
        artifact = service.lay_out(file, name)
        if "record" in given.options:
            write_record(artifact, given.data.file(given.options["record"]))
        assert artifact.layout
        assert artifact.profile
        sizes = {role.value: artifact.layout.objects[role].size for role in Role if role in artifact.layout.objects}
        own = given.data.parquet if given.options["file"] == given.data.csv else None
        parquet = given.data.file(own).stat().st_size if own else None
        types = {column.name: column.type for column in artifact.profile.columns}
        return {
            "rows": artifact.profile.shape.rows,
            "bytes": sizes,
            "types": types,
            "parquet": parquet,
            "input": file.stat().st_size,
        }

    return step
