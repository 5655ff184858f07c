"""The read engine without the function around it: pyarrow, the layout, and the standard library's HTTP.

What a node would run that reads pages by itself: no boto3, no token, no request model.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

from session_datasets.domain.limits import PAGE_BYTES_DEFAULT
from session_datasets.domain.page import ReadCost
from session_datasets.domain.profile import DerivedObject, Layout, Role
from session_datasets.formats.reading.paging import PagedTables
from tests.bench.given import BUCKET, Given
from tests.bench.readers.proofs import Step, page_proof


def page(given: Given) -> Step:
    layout = _layout(json.loads(given.data.file(given.data.record).read_bytes())["layout"])
    tables, limit = PagedTables(), given.options["limit"]
    connection = HTTPConnection(urlsplit(given.endpoint).netloc)

    def step(number: int) -> Any:
        reader = _HttpReader(connection, layout)
        offset = given.offset(number, limit)
        page = tables.read_rows(reader, layout, offset=offset, limit=limit, columns=None, max_bytes=PAGE_BYTES_DEFAULT)
        assert page.rows
        json.dumps(page.rows)
        names = [column.name for column in page.columns]
        return page_proof(page.returned, page.rows[0][names.index(given.data.key)] if given.data.key else None)

    return step


def _layout(record: dict[str, Any]) -> Layout:
    objects = {Role(role): DerivedObject(**place) for role, place in record["objects"].items()}
    return Layout(record["name"], objects, record["parameters"])


class _HttpReader:
    """Fulfils ``operations.ports.DerivedReader``."""

    def __init__(self, connection: HTTPConnection, layout: Layout) -> None:
        self._connection = connection
        self._objects = layout.objects
        self.cost = ReadCost()

    def read(self, role: Role, offset: int, length: int) -> bytes:
        place = self._objects[role]
        url = f"/{BUCKET}/{place.key}?versionId={place.version_id}"
        self._connection.request("GET", url, headers={"Range": f"bytes={offset}-{offset + length - 1}"})
        body = self._connection.getresponse().read()
        self.cost = ReadCost(self.cost.s3_requests + 1, self.cost.bytes_read + len(body))
        return body

    def read_each(self, role: Role, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        return [self.read(role, *each) for each in ranges]
