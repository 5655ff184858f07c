"""Lazy rows become a file under a byte budget, the file an artifact, and the agent learns the facts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import TYPE_CHECKING, Any, Protocol

from session_datasets.client import frames
from session_datasets.client.errors import SessionDatasetsError
from session_datasets.domain.quoting import legible
from session_datasets.domain.redaction import redacted_and_cut
from session_datasets.feedback.words import detail_of, name_of
from session_datasets.materialize.agent_files import AgentFiles
from session_datasets.materialize.backends import Backend, LocalFolder, Saved, WorkspaceBackend
from session_datasets.materialize.cells import Cell
from session_datasets.materialize.csv_file import CsvFile
from session_datasets.materialize.facts import Facts
from session_datasets.materialize.names import column_names, file_name_of
from session_datasets.materialize.parquet_file import ParquetFile
from session_datasets.materialize.refusals import (
    InvalidMaterializeError,
    SourceFailedError,
    UnknownFormatError,
    WriteFailedError,
)
from session_datasets.materialize.result import MaterializedResult
from session_datasets.materialize.shaping import Shaping

if TYPE_CHECKING:
    from session_datasets.client.workspace import Workspace

FORMATS = ("csv", "parquet")
# Characters of a source's own words in an error.
_REASON_CHARACTERS = 500


class RowFile(Protocol):
    """A file that takes rows as long as they fit."""

    @property
    def notes(self) -> Sequence[str]: ...
    def add(self, row: Sequence[Cell]) -> bool: ...
    def held(self, row: Sequence[Cell]) -> Sequence[Cell]:
        """With its texts as the file has them."""

    def finish(self) -> int: ...
    def kept_rows(self) -> Iterator[Sequence[Cell]]: ...


@dataclass(frozen=True)
class _Plan:
    """The arguments, checked."""

    columns: list[str]
    notes: list[str]
    file_name: str
    fmt: str
    preview_rows: int
    max_bytes: int | None


def materialize_result(
    columns: Sequence[object],
    rows: Iterable[Sequence[Any]],
    backend: Backend | Workspace | Path | str | Any,
    *,
    fmt: str = "csv",
    filename: str | None = None,
    preview_rows: int = 5,
    max_bytes: int | None = None,
) -> MaterializedResult:
    """Writes ``rows`` to a file of at most ``max_bytes`` and gives it to ``backend``; answers facts, never rows.

    ``rows`` is pulled one by one, up to and with the first row that does not fit; memory is bounded however many there
    are. ``backend`` is a Workspace (the file is registered, and the result has its reference), a folder, a deepagents
    backend, or an own ``Backend``. ``fmt`` is csv, or parquet with pyarrow installed. ``filename`` is a plain name; a
    unique one is made for None, and a name that is taken is never overwritten.

    MaterializeError in its kinds (``materialize.refusals``) and MissingExtraError: nothing was saved then. What a
    workspace raises passes as it is.
    """
    plan = _planned(columns, fmt, filename, preview_rows, max_bytes)
    place = backend_of(backend)
    with TemporaryDirectory(prefix="session-datasets-") as folder:
        path = Path(folder) / plan.file_name
        shaping = Shaping(plan.columns)
        facts, truncated, notes = _written(path, plan, shaping, rows)
        size = path.stat().st_size
        saved = _saved(place, path, fmt, _missing(facts.rows, max_bytes) if truncated else None)
    return MaterializedResult(
        path=saved.path,
        fmt=fmt,
        row_count=facts.rows,
        columns=plan.columns,
        preview=facts.preview,
        stats=facts.stats(),
        files_update=saved.files_update,
        truncated=truncated,
        reference=saved.reference,
        bytes=size,
        notes=[*plan.notes, *shaping.notes, *notes],
    )


def backend_of(place: Any) -> Backend:
    """What was given as a backend, adapted. InvalidMaterializeError for anything else."""
    from session_datasets.client.workspace import Workspace

    if isinstance(place, Backend):
        return place
    if isinstance(place, Workspace):
        return WorkspaceBackend(place)
    if isinstance(place, Path | str):
        return LocalFolder(place)
    if hasattr(place, "write") and hasattr(place, "upload_files"):
        return AgentFiles(place)
    raise InvalidMaterializeError(
        f"A {type(place).__name__} is no place for a file; no row was read.",
        "Pass a Workspace, a folder, a deepagents backend, or an object with save(file, fmt=..., incomplete=...).",
    )


def _planned(
    columns: Sequence[object], fmt: str, filename: str | None, preview_rows: int, max_bytes: int | None
) -> _Plan:
    if fmt not in FORMATS:
        raise UnknownFormatError(
            f"There is no format {fmt!r}; no row was read.", f"Use one of: {', '.join(map(repr, FORMATS))}."
        )
    if fmt == "parquet":
        frames.required_pyarrow()
    _require_count("preview_rows", preview_rows)
    if max_bytes is not None:
        _require_count("max_bytes", max_bytes)
    names, notes = column_names(columns, fmt)
    return _Plan(names, notes, file_name_of(filename, fmt), fmt, preview_rows, max_bytes)


def _require_count(name: str, value: Any) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise InvalidMaterializeError(
            f"{name} is {value!r}; no row was read.", f"Pass a whole number from 0 on as {name}."
        )


def _written(
    path: Path, plan: _Plan, shaping: Shaping, rows: Iterable[Sequence[Any]]
) -> tuple[Facts, bool, Sequence[str]]:
    """What was written, whether rows are missing, and what the file had to change."""
    facts = Facts(plan.columns, plan.preview_rows)
    with _opened(path, plan) as file:
        truncated = _pulled(rows, shaping, file, facts)
        kept = file.finish()
        if kept < facts.rows:
            facts, truncated = _facts_of(file, kept, plan), True
        return facts, truncated, file.notes


@contextmanager
def _opened(path: Path, plan: _Plan) -> Iterator[RowFile]:
    if plan.fmt == "csv":
        with path.open("wb") as written:
            yield CsvFile(written, plan.columns, plan.max_bytes)
    else:
        with TemporaryFile() as scratch:
            yield ParquetFile(path, scratch, plan.columns, plan.max_bytes)


def _pulled(rows: Iterable[Sequence[Any]], shaping: Shaping, file: RowFile, facts: Facts) -> bool:
    """Rows until one does not fit (True) or there is none left (False)."""
    for row in _told_of_failures(rows, lambda: facts.rows):
        cells = shaping.cells(row)
        if not file.add(cells):
            return True
        facts.add(file.held(cells))
    return False


def _told_of_failures(rows: Iterable[Any], read: Callable[[], int]) -> Iterator[Any]:
    try:
        iterator = iter(rows)
    except TypeError:
        raise InvalidMaterializeError(
            f"rows is a {type(rows).__name__}, which has no rows to go through.", "Pass an iterable of rows."
        ) from None
    except Exception as error:
        raise _failed_source(error, 0) from error
    while True:
        try:
            row = next(iterator)
        except StopIteration:
            return
        except Exception as error:
            raise _failed_source(error, read()) from error
        yield row


def _failed_source(error: Exception, rows: int) -> SourceFailedError:
    return SourceFailedError(
        f"The source failed after {rows:,} rows; nothing was saved. It said: {_said_by(error)}",
        "Run the query again, for fewer rows if it takes long.",
        rows,
    )


def _said_by(error: Exception) -> str:
    """Its kind and its words on one line, whatever an exception of somebody else's does when it is asked for them."""
    return legible(redacted_and_cut(f"{name_of(error)}: {detail_of(error)}", _REASON_CHARACTERS))


def _missing(rows: int, max_bytes: int | None) -> str:
    return f"Incomplete: ended after {rows:,} rows by a budget of {max_bytes:,} bytes."


def _facts_of(file: RowFile, kept: int, plan: _Plan) -> Facts:
    facts = Facts(plan.columns, plan.preview_rows)
    for _, row in zip(range(kept), file.kept_rows(), strict=False):
        facts.add(row)
    return facts


def _saved(place: Backend, path: Path, fmt: str, missing: str | None) -> Saved:
    try:
        return place.save(path, fmt=fmt, incomplete=missing)
    except SessionDatasetsError as error:
        error.add_note(f"{path.name!r} was not saved.")
        raise
    except Exception as error:
        raise WriteFailedError(
            f"{path.name!r} was not written, nothing was registered: {_said_by(error)}",
            "Look whether the place can be written to, and save it again.",
        ) from error
