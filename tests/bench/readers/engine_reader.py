"""The read engine without the function around it: pyarrow, the layout, and the standard library's HTTP.

What a node would run that reads pages by itself: no boto3, no token, no request model.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa

from session_datasets.domain.limits import PAGE_BYTES_DEFAULT, PAGE_BYTES_MAX
from session_datasets.domain.page import ReadCost
from session_datasets.domain.profile import DerivedObject, Layout, Role
from session_datasets.formats.layout.directory import Directories
from session_datasets.formats.layout.segments import Segments
from session_datasets.formats.reading.pages import read_page
from session_datasets.formats.reading.paging import PagedTables
from tests.bench.given import BUCKET, Given
from tests.bench.readers.proofs import Step, encoded_proof, page_proof


def page(given: Given) -> Step:
    layout = _layout(given)
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


def encode(given: Given) -> Step:
    """The first rows, decoded already, as cells under a page's budget, and those as JSON text."""
    layout, limit = _layout(given), given.options["limit"]
    reader = _HttpReader(HTTPConnection(urlsplit(given.endpoint).netloc), layout)
    table = _Decoded(reader, layout, limit)

    def step(_: int) -> Any:
        page = read_page(reader, table, offset=0, limit=limit, columns=None, max_bytes=PAGE_BYTES_MAX)
        return encoded_proof(page.returned, json.dumps(page.rows))

    return step


class _Decoded(Segments):
    """Segments whose first ``rows`` rows are in memory, and nothing else of them."""

    def __init__(self, reader: _HttpReader, layout: Layout, rows: int) -> None:
        super().__init__(reader, layout, Directories())
        places = self.directory.chosen(None)
        self._held = pa.Table.from_batches(super().read(places, 0, rows)).combine_chunks().to_batches()

    def read(self, places: Sequence[int], begin: int, end: int) -> Iterator[pa.RecordBatch]:
        yield from (batch.slice(begin, end - begin) for batch in self._held)


def _layout(given: Given) -> Layout:
    record = json.loads(given.data.file(given.data.record).read_bytes())["layout"]
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
