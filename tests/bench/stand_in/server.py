"""The part of the S3 API that readers and writers of tables use, over HTTP on the loopback interface.

GET and HEAD of objects and of their versions, with ranges; PUT and multipart uploads; DELETE; ListObjectsV2 in one
page. Nothing is signed, checked or encrypted.
"""

from __future__ import annotations

import os
import time
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

from tests.bench.stand_in.objects import Objects, version_of
from tests.bench.stand_in.pace import Clock
from tests.bench.stand_in.ranges import range_of
from tests.bench.stand_in.tally import Tally

# Small enough that a paced answer flows, large enough that sending costs little.
_PIECE_BYTES = 64 * 1024
_NAMESPACE = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"'


class StandInServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, root: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Exchange)
        self.objects = Objects(root)
        self.clock = Clock()
        self.tally = Tally()

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up in the middle of an answer is none of our failures."""


class _Exchange(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    server: StandInServer

    def parse_request(self) -> bool:
        self._asked_at = time.perf_counter()
        return super().parse_request()

    def handle_expect_100(self) -> bool:
        # Buffered, the leave to go on would come with the answer; boto3 waits a second for it before each body.
        going_on = super().handle_expect_100()
        self.wfile.flush()
        return going_on

    def do_GET(self) -> None:
        if "list-type" in self._query or not self._key:
            self._list()
        else:
            self._object(with_body=True)

    def do_HEAD(self) -> None:
        self._object(with_body=False)

    def do_PUT(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._count("PUT", len(body))
        if "uploadId" in self._query:
            number = int(self._query["partNumber"])
            self.server.objects.put_part(self._query["uploadId"], number, body)
            return self._answer(200, headers={"ETag": f'"{number}"'})
        version_id = self.server.objects.put(self._path(), body)
        return self._answer(200, headers={"ETag": f'"{version_id}"', "x-amz-version-id": version_id})

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._count("POST")
        if "uploads" in self._query:
            upload_id = self.server.objects.begin()
            names = f"<Bucket>{self._bucket}</Bucket><Key>{escape(self._key)}</Key>"
            return self._answer(200, _xml("InitiateMultipartUploadResult", f"{names}<UploadId>{upload_id}</UploadId>"))
        version_id = self.server.objects.complete(self._query["uploadId"], self._path())
        body = _xml("CompleteMultipartUploadResult", f"<ETag>&quot;{version_id}&quot;</ETag>")
        return self._answer(200, body, headers={"x-amz-version-id": version_id})

    def do_DELETE(self) -> None:
        self._count("DELETE")
        if "uploadId" in self._query:
            self.server.objects.abort(self._query["uploadId"])
        else:
            self._path().unlink(missing_ok=True)
        self._answer(204)

    def log_message(self, *_: object) -> None:
        """Requests are counted, not told."""

    # --- objects ---------------------------------------------------------------------------------------------

    def _object(self, with_body: bool) -> None:
        self._count("GET" if with_body else "HEAD")
        path = self._path()
        if not path.is_file():
            return self._answer(404, _error("NoSuchKey"))
        version_id = version_of(path)
        if self._query.get("versionId", version_id) != version_id:
            return self._answer(404, _error("NoSuchVersion"))
        if self.headers.get("If-Match", "*").strip('"') not in ("*", version_id):
            return self._answer(412, _error("PreconditionFailed"))
        size = path.stat().st_size
        asked = self.headers.get("Range")
        wanted = range_of(asked, size)
        if wanted is None:
            return self._answer(416, _error("InvalidRange"))
        begin, length = wanted
        headers = {
            "ETag": f'"{version_id}"',
            "x-amz-version-id": version_id,
            "Last-Modified": formatdate(path.stat().st_mtime, usegmt=True),
            "Accept-Ranges": "bytes",
            "Content-Type": "binary/octet-stream",
        }
        if asked:
            headers["Content-Range"] = f"bytes {begin}-{begin + length - 1}/{size}"
        self._head(206 if asked else 200, length, headers)
        if with_body:
            self._send(path, begin, length)
        return None

    def _send(self, path: Path, begin: int, length: int) -> None:
        self.wfile.flush()
        began_at, sent = time.perf_counter(), 0
        with path.open("rb") as file:
            while sent < length:
                piece = min(_PIECE_BYTES, length - sent)
                self.server.clock.wait_for_bytes(began_at, sent, piece)
                self.server.tally.sending(piece)
                self._send_all(file.fileno(), begin + sent, piece)
                sent += piece

    def _send_all(self, file: int, offset: int, length: int) -> None:
        while length:
            sent = os.sendfile(self.connection.fileno(), file, offset, length)
            if not sent:
                raise ConnectionError("the file became shorter")
            offset, length = offset + sent, length - sent

    def _list(self) -> None:
        self._count("LIST")
        prefix = self._query.get("prefix", "")
        found = list(self.server.objects.keys(self._bucket, prefix))
        contents = "".join(
            f"<Contents><Key>{escape(key)}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>"
            f"<ETag>&quot;x&quot;</ETag><Size>{size}</Size><StorageClass>STANDARD</StorageClass></Contents>"
            for key, size in found
        )
        head = (
            f"<Name>{self._bucket}</Name><Prefix>{escape(prefix)}</Prefix><KeyCount>{len(found)}</KeyCount>"
            "<MaxKeys>1000</MaxKeys><IsTruncated>false</IsTruncated>"
        )
        self._answer(200, _xml("ListBucketResult", head + contents))

    # --- the exchange ------------------------------------------------------------------------------------------

    @property
    def _bucket(self) -> str:
        return urlsplit(self.path).path.lstrip("/").partition("/")[0]

    @property
    def _key(self) -> str:
        return unquote(urlsplit(self.path).path.lstrip("/").partition("/")[2])

    @property
    def _query(self) -> dict[str, str]:
        return {name: values[0] for name, values in parse_qs(urlsplit(self.path).query, keep_blank_values=True).items()}

    def _path(self) -> Path:
        return self.server.objects.path(self._bucket, self._key)

    def _count(self, operation: str, bytes_in: int = 0) -> None:
        self.server.tally.request(operation, bytes_in)

    def _head(self, status: int, length: int, headers: dict[str, str]) -> None:
        self.server.clock.wait_for_answer(self._asked_at)
        self.send_response_only(status)
        for name, value in {**headers, "Content-Length": str(length)}.items():
            self.send_header(name, value)
        self.end_headers()

    def _answer(self, status: int, body: bytes = b"", headers: dict[str, str] | None = None) -> None:
        self._head(status, len(body), {"Content-Type": "application/xml", **(headers or {})})
        if self.command != "HEAD":
            self.server.tally.sending(len(body))
            self.wfile.write(body)


def _xml(name: str, inside: str) -> bytes:
    return f'<?xml version="1.0" encoding="UTF-8"?><{name} {_NAMESPACE}>{inside}</{name}>'.encode()


def _error(code: str) -> bytes:
    return f'<?xml version="1.0" encoding="UTF-8"?><Error><Code>{code}</Code><Message>{code}</Message></Error>'.encode()
