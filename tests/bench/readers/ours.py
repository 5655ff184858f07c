"""Session Datasets: the functions' own doors, down to the JSON that they answer."""

from __future__ import annotations

import json
from typing import Any

from session_datasets.domain.names import Verb
from session_datasets.domain.profile import Role
from tests.bench.given import Given
from tests.bench.readers.proofs import Step, page_proof, window_proof
from tests.bench.service import BenchService, write_record


def _service(given: Given) -> BenchService:
    return BenchService(given.data.file(given.data.record))


def page(given: Given) -> Step:
    """A page as read_rows answers it."""
    service, limit = _service(given), given.options["limit"]

    def step(number: int) -> Any:
        answer = service.call(Verb.READ_ROWS, offset=given.offset(number, limit), limit=limit)
        json.dumps(answer)
        names = [column["name"] for column in answer["columns"]]
        first = answer["rows"][0][names.index(given.data.key)] if given.data.key else None
        return page_proof(answer["returned"], first) | {"s3_requests": answer["s3_requests"]}

    return step


def chart(given: Given) -> Step:
    """A series as read_columns answers it."""
    service, points = _service(given), given.options["points"]

    def step(number: int) -> Any:
        offset, rows = given.window(number)
        answer = service.call(
            Verb.READ_COLUMNS, columns=[given.data.charted], offset=offset, rows=rows, max_points=points
        )
        json.dumps(answer)
        column = answer["columns"][0]
        low, high = column.get("min") or column["values"], column.get("max") or column["values"]
        return window_proof(low, high)

    return step


def register(given: Given) -> Step:
    """Types, profile and layout of one file; ``options``: the ``file``, and where the ``record`` goes, if anywhere."""
    service = BenchService(None)
    file, name = given.data.file(given.options["file"]), given.options["name"]

    def step(_: int) -> Any:
        artifact = service.lay_out(file, name)
        if "record" in given.options:
            write_record(artifact, given.data.file(given.options["record"]))
        assert artifact.layout
        assert artifact.profile
        sizes = {role.value: artifact.layout.objects[role].size for role in Role if role in artifact.layout.objects}
        types = {column.name: column.type for column in artifact.profile.columns}
        return {"rows": artifact.profile.shape.rows, "bytes": sizes, "types": types, "input": file.stat().st_size}

    return step
