"""Brings one local file into the session's workspace: one PUT, or parts beside each other and their completion."""

from __future__ import annotations

import base64
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from xml.etree import ElementTree

from session_datasets.client.calls import Calls
from session_datasets.client.errors import InvalidRequestError, TransferError
from session_datasets.client.http import PARALLEL_REQUESTS, FileHttp, Reply, error_in, retryable
from session_datasets.client.local_file import FileWindow, LocalFile, md5_of
from session_datasets.client.patience import Patience
from session_datasets.client.progress import OnProgress, Progress
from session_datasets.domain.names import Verb
from session_datasets.wire.answers import PrepareUploadAnswer, PresignedPart, UploadPartPart

_VERSION_HEADER = "x-amz-version-id"
# Presigned URLs expire; a file whose upload outlives this many sets of them does not get through at all.
_PREPARATIONS = 3


@dataclass(frozen=True, slots=True)
class Uploaded:
    """``version_id`` is None where the storage told none; the checksum then decides at registration."""

    key: str
    version_id: str | None


class Uploads:
    def __init__(self, calls: Calls, http: FileHttp, patience: Patience) -> None:
        self._calls = calls
        self._http = http
        self._patience = patience

    def upload(self, file: LocalFile, tell: OnProgress | None = None) -> Uploaded:
        """The file in the workspace. TransferError when it does not get there, whatever is tried."""
        progress = Progress(file.size, tell)
        for _ in range(_PREPARATIONS - 1):
            try:
                return self._send(file, self._prepared(file), progress)
            except TransferError as error:
                if not error.expired:
                    raise
            progress.restart()
        return self._send(file, self._prepared(file), progress)

    def _prepared(self, file: LocalFile) -> PrepareUploadAnswer:
        ask = partial(self._calls.ask, Verb.PREPARE_UPLOAD, PrepareUploadAnswer, size=file.size, sha256=file.sha256)
        try:
            return ask(file_name=file.file_name)
        except InvalidRequestError as error:
            # The service knows which names are safe in a key, and offers the nearest one.
            if "file_name" not in error.problem.retry_with:
                raise
            return ask(file_name=error.problem.retry_with["file_name"])

    def _send(self, file: LocalFile, plan: PrepareUploadAnswer, progress: Progress) -> Uploaded:
        progress.add(0)
        if plan.put is not None:
            reply = self._put(file, 0, file.size, plan.put, progress)
            return Uploaded(plan.key, reply.headers.get(_VERSION_HEADER))
        if plan.complete is None:
            raise TransferError("The service prepared neither a PUT nor parts.", "Use an SDK of its version.")
        etags = self._put_parts(file, plan.parts, progress)
        return Uploaded(plan.key, self._complete(plan.complete, etags))

    def _put_parts(self, file: LocalFile, parts: list[UploadPartPart], progress: Progress) -> list[tuple[int, str]]:
        """(number, ETag) of every part, in order; the first part that fails for good ends them all."""

        def put(part: UploadPartPart) -> tuple[int, str]:
            reply = self._put(file, part.offset, part.size, part.request, progress)
            return part.number, reply.headers.get("ETag", "")

        with ThreadPoolExecutor(PARALLEL_REQUESTS, thread_name_prefix="upload") as pool:
            running = [pool.submit(put, part) for part in parts]
            try:
                return [each.result() for each in running]
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _put(self, file: LocalFile, offset: int, size: int, request: PresignedPart, progress: Progress) -> Reply:
        checksum = base64.b64encode(md5_of(file.path, offset, size)).decode()
        headers = {"Content-Length": str(size), "Content-MD5": checksum}

        def once() -> Reply:
            return _counted(progress, lambda on_read: self._put_once(file, offset, size, request, headers, on_read))

        return self._patience.retried(once, retryable)

    def _put_once(
        self,
        file: LocalFile,
        offset: int,
        size: int,
        request: PresignedPart,
        headers: dict[str, str],
        on_read: Callable[[int], None],
    ) -> Reply:
        # An empty body is sent as such: a stream of no bytes would make the library choose chunked encoding.
        if size == 0:
            return self._http.send(request, body=b"", headers=headers)
        with FileWindow(file.path, offset, size, on_read) as window:
            return self._http.send(request, body=window, headers=headers)

    def _complete(self, request: PresignedPart, etags: list[tuple[int, str]]) -> str | None:
        """The version that the parts became."""
        attempts = 0

        def once() -> str | None:
            nonlocal attempts
            attempts += 1
            try:
                reply = self._http.send(request, body=_completion(etags), headers={"Content-Type": "application/xml"})
            except TransferError as error:
                # A completion whose answer was lost has done its work; the registration checks what is there.
                if attempts > 1 and error.code == "NoSuchUpload":
                    return None
                raise
            # S3 begins to answer 200 before it knows, so a failure may follow in the body.
            if code := error_in(reply.body)[0]:
                raise TransferError(f"The storage could not join the parts ({code}).", status=500, code=code)
            return reply.headers.get(_VERSION_HEADER)

        return self._patience.retried(once, retryable)


def _counted(progress: Progress, send: Callable[[Callable[[int], None]], Reply]) -> Reply:
    """Bytes of an attempt that fails are taken back, for they are sent once more."""
    sent = 0

    def on_read(count: int) -> None:
        nonlocal sent
        sent += count
        progress.add(count)

    try:
        return send(on_read)
    except BaseException:
        progress.add(-sent)
        raise


def _completion(etags: list[tuple[int, str]]) -> bytes:
    root = ElementTree.Element("CompleteMultipartUpload", xmlns="http://s3.amazonaws.com/doc/2006-03-01/")
    for number, etag in etags:
        part = ElementTree.SubElement(root, "Part")
        ElementTree.SubElement(part, "PartNumber").text = str(number)
        ElementTree.SubElement(part, "ETag").text = etag
    body: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return body
