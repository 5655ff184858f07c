"""Brings one local file into the session's workspace: one PUT, or parts beside each other and their completion."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any
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


@dataclass(frozen=True, slots=True)
class Uploaded:
    """``version_id`` is None where the storage told none; the checksum then decides at registration.

    ``sent`` is False for a file that was there: so its own upload announced, and so the registration checks.
    """

    key: str
    version_id: str | None
    sent: bool = True


class Uploads:
    def __init__(
        self, calls: Calls, http: FileHttp, patience: Patience, clock: Callable[[], datetime] | None = None
    ) -> None:
        self._calls = calls
        self._http = http
        self._patience = patience
        self._clock = clock or partial(datetime.now, UTC)

    def upload(self, file: LocalFile, tell: OnProgress | None = None, *, replace: bool = False) -> Uploaded:
        """The file in the workspace, sent unless it is there already; with ``replace``, sent in any case.

        TransferError when it does not get there, whatever is tried. Permissions that expire on the way are asked for
        anew as long as each of them brings a part across.
        """
        transfer = _Transfer(file, Progress(file.size, tell), self._http, self._patience, self._clock)
        plan, failures = self._prepared(file, replace=replace or None), 0
        while True:
            arrived = transfer.parts_arrived
            try:
                return transfer.carried_out(plan)
            except TransferError as error:
                failures = 1 if transfer.parts_arrived > arrived else failures + 1
                if not error.expired or not self._patience.tries_again(failures):
                    raise
            # Of a PUT that arrived although nobody heard of it, the new plan says that it is present.
            plan = self._prepared(file, upload_id=plan.upload_id, replace=replace or None)

    def _prepared(self, file: LocalFile, **more: Any) -> PrepareUploadAnswer:
        ask = partial(
            self._calls.ask, Verb.PREPARE_UPLOAD, PrepareUploadAnswer, size=file.size, sha256=file.sha256, **more
        )
        try:
            return ask(file_name=file.file_name)
        except InvalidRequestError as error:
            # The service knows which names are safe in a key, and offers the nearest one.
            if "file_name" not in error.problem.retry_with:
                raise
            return ask(file_name=error.problem.retry_with["file_name"])


class _Transfer:
    """One file on its way, over as many plans as it takes: what arrived under one of them stays."""

    def __init__(
        self, file: LocalFile, progress: Progress, http: FileHttp, patience: Patience, clock: Callable[[], datetime]
    ) -> None:
        self._file = file
        self._progress = progress
        self._http = http
        self._patience = patience
        self._clock = clock
        # (number, offset, size) -> ETag. A part that a later plan cuts otherwise is another part.
        self._etags: dict[tuple[int, int, int], str] = {}
        self._completions = 0

    @property
    def parts_arrived(self) -> int:
        return len(self._etags)

    def carried_out(self, plan: PrepareUploadAnswer) -> Uploaded:
        self._progress.add(0)
        if plan.present:
            self._progress.add(self._file.size)
            return Uploaded(plan.key, plan.version_id, sent=False)
        if plan.put is not None:
            reply = self._put(0, self._file.size, plan.put)
            return Uploaded(plan.key, reply.headers.get(_VERSION_HEADER))
        if plan.complete is None:
            raise TransferError("The service prepared neither a PUT nor parts.", "Use an SDK of its version.")
        self._put_parts([part for part in plan.parts if _place(part) not in self._etags])
        etags = [(part.number, self._etags[_place(part)]) for part in plan.parts]
        return Uploaded(plan.key, self._complete(plan.complete, etags))

    def _put_parts(self, parts: list[UploadPartPart]) -> None:
        """The first part that fails for good ends them all; those that are on their way still arrive."""
        with ThreadPoolExecutor(PARALLEL_REQUESTS, thread_name_prefix="upload") as pool:
            # Each in the context of this call, where its deadline stands.
            running = [pool.submit(copy_context().run, self._put_part, part) for part in parts]
            try:
                for each in as_completed(running):
                    each.result()
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _put_part(self, part: UploadPartPart) -> None:
        reply = self._put(part.offset, part.size, part.request)
        self._etags[_place(part)] = reply.headers.get("ETag", "")

    def _put(self, offset: int, size: int, request: PresignedPart) -> Reply:
        checksum = base64.b64encode(md5_of(self._file.path, offset, size)).decode()
        headers = {"Content-Length": str(size), "Content-MD5": checksum}

        def once() -> Reply:
            with self._knowing_expiry(request):
                return _counted(self._progress, lambda on_read: self._put_once(offset, size, request, headers, on_read))

        return self._patience.retried(once, _same_request_may_succeed)

    def _put_once(
        self, offset: int, size: int, request: PresignedPart, headers: dict[str, str], on_read: Callable[[int], None]
    ) -> Reply:
        # An empty body is sent as such: a stream of no bytes would make the library choose chunked encoding.
        if size == 0:
            return self._http.send(request, body=b"", headers=headers)
        with FileWindow(self._file.path, offset, size, on_read) as window:
            return self._http.send(request, body=window, headers=headers)

    def _complete(self, request: PresignedPart, etags: list[tuple[int, str]]) -> str | None:
        """The version that the parts became."""

        def once() -> str | None:
            self._completions += 1
            try:
                with self._knowing_expiry(request):
                    body, headers = _completion(etags), {"Content-Type": "application/xml"}
                    reply = self._http.send(request, body=body, headers=headers)
            except TransferError as error:
                # A completion whose answer was lost has done its work; the registration checks what is there.
                if self._completions > 1 and error.code == "NoSuchUpload":
                    return None
                raise
            # S3 begins to answer 200 before it knows, so a failure may follow in the body.
            if code := error_in(reply.body)[0]:
                raise TransferError(f"The storage could not join the parts ({code}).", status=500, code=code)
            return reply.headers.get(_VERSION_HEADER)

        return self._patience.retried(once, _same_request_may_succeed)

    @contextmanager
    def _knowing_expiry(self, request: PresignedPart) -> Iterator[None]:
        """S3 refuses an expired request and hangs up while the body is still being sent, so what arrives of its
        refusal may be a broken connection and nothing else."""
        try:
            yield
        except TransferError as error:
            if error.status is None and not error.final and self._clock() >= request.expires_at:
                error.expired = True
            raise


def _same_request_may_succeed(error: Exception) -> bool:
    return retryable(error) and not (isinstance(error, TransferError) and error.expired)


def _place(part: UploadPartPart) -> tuple[int, int, int]:
    return part.number, part.offset, part.size


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
