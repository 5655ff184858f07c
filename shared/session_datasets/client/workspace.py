"""What a node holds: its session's workspace, to register, find, read and load artifacts in."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, overload

from session_datasets.client import frames
from session_datasets.client.calls import Calls
from session_datasets.client.download import Downloads
from session_datasets.client.errors import IncompleteRowError, ProblemError
from session_datasets.client.frames import Frame
from session_datasets.client.hints import hints_body
from session_datasets.client.http import FileHttp
from session_datasets.client.local_file import LocalFile
from session_datasets.client.patience import Patience
from session_datasets.client.progress import OnProgress
from session_datasets.client.references import AnyReference, artifact_id_of, reference_of
from session_datasets.client.rows import ROW_TOO_LARGE_ADVICE, ReadPage, as_dicts, as_tuples, whole_pages
from session_datasets.client.surroundings import Surroundings
from session_datasets.client.transport import Transport
from session_datasets.client.upload import Uploaded, Uploads
from session_datasets.client.waiting import WAIT_SECONDS, OnProfiling, Waiting
from session_datasets.domain.correlation import correlated, current_or_new
from session_datasets.domain.errors import ProblemCode
from session_datasets.domain.files import LoadTarget
from session_datasets.domain.limits import ARROW_PAGE_ROWS_MAX, LIST_LIMIT_MAX, PAGE_BYTES_MAX, PAGE_ROWS_MAX
from session_datasets.domain.names import Verb
from session_datasets.domain.page import PageFormat, Reduction
from session_datasets.domain.profile import Kind, ReadingHints
from session_datasets.domain.scope import ListScope
from session_datasets.wire.answers import (
    DescribeArtifactAnswer,
    ListArtifactsAnswer,
    LoadArtifactAnswer,
    ReadColumnsAnswer,
    ReadRowsAnswer,
    RegisterArtifactAnswer,
    SummaryPart,
)

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

# How a registration refuses a version whose upload announced what it did not bring, or that was deleted meanwhile.
_NOT_WHAT_WAS_ANNOUNCED = frozenset(
    {
        ProblemCode.CHECKSUM_MISMATCH,
        ProblemCode.SIZE_MISMATCH,
        ProblemCode.FILE_NOT_FOUND,
        ProblemCode.FILE_CHANGED,
        ProblemCode.FILE_MISSING,
    }
)


class Workspace:
    """One session, seen from its node. Every method raises the errors of ``session_datasets.errors``.

    A reference may be given as the answer that holds it, as itself, as JSON of either, or as an artifact id. All that
    one method asks of the service carries one correlation id, its own or that of ``session_datasets.correlated``.
    """

    def __init__(
        self,
        token: str,
        transport: Transport,
        directory: Path | str | None = None,
        *,
        patience: Patience | None = None,
    ) -> None:
        """``directory`` is where files are loaded to; the current one when None."""
        patience = patience or Patience()
        self._token = token
        self._directory = Path(directory or ".").absolute()
        self._calls = Calls(transport, token, patience)
        http = FileHttp()
        self._uploads = Uploads(self._calls, http, patience)
        self._waiting = Waiting(self._calls, patience)
        self._downloads = Downloads(http, patience)

    @classmethod
    def from_env(cls, directory: Path | str | None = None, *, environment: Mapping[str, str] = os.environ) -> Self:
        """The session whose token is in SESSION_DATASETS_TOKEN, on the stack in SESSION_DATASETS_STACK."""
        surroundings = Surroundings.of(environment)
        return cls(surroundings.required_token(), surroundings.transport(), directory)

    def __repr__(self) -> str:
        return f"Workspace(directory={str(self._directory)!r})"

    @property
    def token(self) -> str:
        return self._token

    @property
    def directory(self) -> Path:
        return self._directory

    # --- entering ------------------------------------------------------------------------------------------

    def register_artifact(
        self,
        source: Path | str | Frame,
        *,
        name: str | None = None,
        description: str = "",
        kind: Kind | str | None = None,
        lineage: Sequence[AnyReference] = (),
        hints: ReadingHints | None = None,
        request_token: str | None = None,
        progress: OnProgress | None = None,
        wait: bool = True,
        timeout: float = WAIT_SECONDS,
        profiling: OnProfiling | None = None,
    ) -> RegisterArtifactAnswer:
        """Uploads a file, or a frame as Parquet, and makes it known; the answer's ``reference`` is what to pass on.

        The same content under the same file name is not sent again, and with the same ``name`` it is the same
        artifact (``created`` is False then). ``name`` is the file's own when None, and must be given for a frame.
        ``hints`` say how to read the file where its bytes leave that open; the same version is not read anew with
        other ones. ``request_token`` makes a later repeat of the whole call find this registration. ``progress`` is
        called with (bytes done, bytes in all).

        A large file is profiled after it was registered. That is waited for up to ``timeout`` seconds, unless ``wait``
        is False and the answer's ``status`` may be profiling; ``profiling`` is called with the artifact meanwhile.
        """
        with correlated(), _local_file(source, name) as file:
            register = partial(
                self._calls.ask,
                Verb.REGISTER_ARTIFACT,
                RegisterArtifactAnswer,
                name=name or file.file_name,
                description=description,
                kind=kind,
                lineage=[artifact_id_of(each) for each in lineage],
                size=file.size,
                sha256=file.sha256,
                hints=hints_body(hints),
                request_token=request_token,
            )
            # A repeat of the whole call may upload a new version; only without one is it the same request.
            pinned = request_token is None

            def registered(uploaded: Uploaded) -> RegisterArtifactAnswer:
                answer = register(key=uploaded.key, version_id=uploaded.version_id if pinned else None)
                return self._waiting.concluded(answer, timeout, profiling) if wait else answer

            uploaded = self._uploads.upload(file, progress)
            try:
                return registered(uploaded)
            except ProblemError as error:
                if uploaded.sent or error.code not in _NOT_WHAT_WAS_ANNOUNCED:
                    raise
            # What was there is not this file, or not there any more. Of progress, the whole was told.
            return registered(self._uploads.upload(file, replace=True))

    def wait(
        self, reference: AnyReference, timeout: float = WAIT_SECONDS, *, profiling: OnProfiling | None = None
    ) -> DescribeArtifactAnswer:
        """The artifact, once its profile has been made. WaitedTooLongError after ``timeout`` seconds; when the profile
        failed, the error that registering a small file would have raised."""
        with correlated():
            return self._waiting.until_ready(reference_of(reference), timeout, profiling)

    # --- finding -------------------------------------------------------------------------------------------

    def list_artifacts(
        self,
        *,
        scope: ListScope | str | None = None,
        name_contains: str | None = None,
        kind: Kind | str | None = None,
    ) -> Iterator[SummaryPart]:
        """All artifacts within reach, newest first; pages are fetched as the iterator gets to them."""
        cursor: str | None = None
        correlation_id = current_or_new()
        while True:
            with correlated(correlation_id):
                page = self.list_page(
                    scope=scope, name_contains=name_contains, kind=kind, limit=LIST_LIMIT_MAX, cursor=cursor
                )
            yield from page.artifacts
            cursor = page.next_cursor
            if cursor is None:
                return

    def list_page(
        self,
        *,
        scope: ListScope | str | None = None,
        name_contains: str | None = None,
        kind: Kind | str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListArtifactsAnswer:
        """One page; hand its ``next_cursor`` to the next call with the same filters."""
        return self._calls.ask(
            Verb.LIST_ARTIFACTS,
            ListArtifactsAnswer,
            scope=scope,
            name_contains=name_contains,
            kind=kind,
            limit=limit,
            cursor=cursor,
        )

    def describe_artifact(self, reference: AnyReference) -> DescribeArtifactAnswer:
        """The whole record: schema, statistics, preview, lineage."""
        return self._calls.ask(Verb.DESCRIBE_ARTIFACT, DescribeArtifactAnswer, reference=reference_of(reference))

    # --- reading -------------------------------------------------------------------------------------------

    def read_rows(
        self,
        reference: AnyReference,
        *,
        offset: int | None = None,
        limit: int | None = None,
        columns: Sequence[str] | None = None,
        max_bytes: int | None = None,
        format: PageFormat | Literal["json", "arrow"] | None = None,
    ) -> ReadRowsAnswer:
        """One page. It ends at ``limit`` rows or ``max_bytes``; ``next_offset`` is where to go on.

        ``format`` arrow has one Arrow IPC stream in base64 instead of ``rows``; ``session_datasets.client.tables``
        makes a table of either.
        """
        return self._calls.ask(
            Verb.READ_ROWS,
            ReadRowsAnswer,
            reference=reference_of(reference),
            offset=offset,
            limit=limit,
            columns=_listed(columns),
            max_bytes=max_bytes,
            format=format,
        )

    @overload
    def iter_rows(
        self,
        reference: AnyReference,
        *,
        columns: Sequence[str] | None = ...,
        batch: int = ...,
        form: Literal["dict"] = ...,
    ) -> Iterator[dict[str, Any]]: ...

    @overload
    def iter_rows(
        self, reference: AnyReference, *, columns: Sequence[str] | None = ..., batch: int = ..., form: Literal["tuple"]
    ) -> Iterator[tuple[Any, ...]]: ...

    def iter_rows(
        self,
        reference: AnyReference,
        *,
        columns: Sequence[str] | None = None,
        batch: int = PAGE_ROWS_MAX,
        form: Literal["dict", "tuple"] = "dict",
    ) -> Iterator[dict[str, Any]] | Iterator[tuple[Any, ...]]:
        """Every row to the end, ``batch`` at a time, with cells as a page has them. IncompleteRowError at a row that
        no page holds whole."""
        pages = whole_pages(self._page_reader(reference, columns, batch))
        return as_dicts(pages) if form == "dict" else as_tuples(pages)

    def read_columns(
        self,
        reference: AnyReference,
        columns: Sequence[str],
        *,
        x: str | None = None,
        offset: int | None = None,
        rows: int | None = None,
        max_points: int | None = None,
        method: Reduction | Literal["auto", "lttb", "m4"] | None = None,
    ) -> ReadColumnsAnswer:
        """The series of a chart: every value of a window of up to ``max_points`` rows, beyond it min and max per
        bucket, or the rows that ``method`` chooses. ``x`` names a column to draw the others over."""
        return self._calls.ask(
            Verb.READ_COLUMNS,
            ReadColumnsAnswer,
            reference=reference_of(reference),
            columns=_listed(columns),
            x=x,
            offset=offset,
            rows=rows,
            max_points=max_points,
            method=method,
        )

    def to_arrow(
        self, reference: AnyReference, *, columns: Sequence[str] | None = None, progress: OnProgress | None = None
    ) -> pa.Table:
        """The dataset in memory, with exactly the types of its registered schema, fetched as several pages at a time.

        ``progress`` is called with (rows here, rows in all). IncompleteRowError for a row that no page holds whole.
        """
        frames.required_pyarrow()
        from session_datasets.client import tables

        return tables.of_pages(self._arrow_page_reader(reference, columns), ARROW_PAGE_ROWS_MAX, progress)

    def to_pandas(
        self, reference: AnyReference, *, columns: Sequence[str] | None = None, progress: OnProgress | None = None
    ) -> pd.DataFrame:
        """The dataset in memory; Arrow-backed columns, so that integers with gaps stay integers."""
        pandas = frames.required_pandas()
        return self.to_arrow(reference, columns=columns, progress=progress).to_pandas(types_mapper=pandas.ArrowDtype)

    # --- loading -------------------------------------------------------------------------------------------

    @overload
    def load_artifact(
        self,
        reference: AnyReference,
        to: Path | str | None = ...,
        *,
        overwrite: bool = ...,
        progress: OnProgress | None = ...,
        into: Literal["working_directory"] = ...,
    ) -> Path: ...

    @overload
    def load_artifact(self, reference: AnyReference, *, into: Literal["workspace"]) -> LoadArtifactAnswer: ...

    def load_artifact(
        self,
        reference: AnyReference,
        to: Path | str | None = None,
        *,
        overwrite: bool = False,
        progress: OnProgress | None = None,
        into: Literal["working_directory", "workspace"] = "working_directory",
    ) -> Path | LoadArtifactAnswer:
        """The file in the working directory, checked byte for byte; or a copy in the workspace, by ``into``.

        A name that is taken by other content leads to a numbered sibling unless ``overwrite``; the same content is
        not loaded twice. A broken load goes on where it stopped, also in a later call.
        """
        ask = self._load_asker(reference)
        if into == LoadTarget.WORKSPACE.value:
            return ask(into=into)
        with correlated():
            return self._downloads.download(ask, self._directory, to, overwrite=overwrite, tell=progress)

    def _load_asker(self, reference: AnyReference) -> Callable[..., LoadArtifactAnswer]:
        known = reference_of(reference)
        return partial(self._calls.ask, Verb.LOAD_ARTIFACT, LoadArtifactAnswer, reference=known)

    def _page_reader(
        self, reference: AnyReference, columns: Sequence[str] | None, batch: int = PAGE_ROWS_MAX
    ) -> ReadPage:
        known, correlation_id = reference_of(reference), current_or_new()

        def read(offset: int) -> ReadRowsAnswer:
            with correlated(correlation_id):
                return self.read_rows(known, offset=offset, limit=batch, columns=columns, max_bytes=PAGE_BYTES_MAX)

        return read

    def _arrow_page_reader(
        self, reference: AnyReference, columns: Sequence[str] | None
    ) -> Callable[[int, int], ReadRowsAnswer]:
        known, correlation_id = reference_of(reference), current_or_new()

        def read(offset: int, limit: int) -> ReadRowsAnswer:
            try:
                with correlated(correlation_id):
                    return self.read_rows(
                        known, offset=offset, limit=limit, columns=columns, max_bytes=PAGE_BYTES_MAX, format="arrow"
                    )
            except ProblemError as error:
                if error.code != ProblemCode.TOO_LARGE:
                    raise
                raise IncompleteRowError(error.detail, ROW_TOO_LARGE_ADVICE) from error

        return read


def _listed(columns: Sequence[str] | None) -> list[str] | None:
    if isinstance(columns, str):
        raise TypeError("columns is a list of names, not one text")
    return None if columns is None else list(columns)


@contextmanager
def _local_file(source: Path | str | Frame, name: str | None) -> Iterator[LocalFile]:
    if isinstance(source, Path | str):
        yield LocalFile.measured(Path(source))
        return
    if not frames.is_frame(source):
        raise TypeError(f"{type(source).__name__} is neither a path nor a frame")
    if not name:
        raise TypeError("a frame has no name of its own: pass name=")
    with frames.written_as_parquet(source, name) as path:
        yield LocalFile.measured(path, frames.file_name_of(name))
