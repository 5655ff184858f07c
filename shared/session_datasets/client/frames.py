"""A frame (pandas, pyarrow, anything that speaks Arrow's stream protocol) as a Parquet file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol, TypeGuard

from session_datasets.client.errors import MissingExtraError, UnwritableTableError

_SUFFIX = ".parquet"


class Frame(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


def is_frame(value: object) -> TypeGuard[Frame]:
    return hasattr(value, "__arrow_c_stream__")


def required_pyarrow() -> Any:
    """The library, or MissingExtraError that names how to get it."""
    try:
        import pyarrow
    except ImportError:
        raise MissingExtraError(
            "Tables need pyarrow, which is not installed.", "Run: pip install 'session-datasets[arrow]'"
        ) from None
    return pyarrow


def required_pandas() -> Any:
    try:
        import pandas
    except ImportError:
        raise MissingExtraError(
            "Data frames need pandas, which is not installed.", "Run: pip install 'session-datasets[pandas]'"
        ) from None
    required_pyarrow()
    return pandas


@contextmanager
def written_as_parquet(frame: Frame, name: str) -> Iterator[Path]:
    """A file named after ``name`` that lives until the context ends. UnwritableTableError when none can be made."""
    with TemporaryDirectory(prefix="session-datasets-") as folder:
        # A name is no path: whatever is in it, the file stays in this folder, and the service makes the key safe.
        path = Path(folder) / "table"
        _write(frame, path)
        yield path


def file_name_of(name: str) -> str:
    return name if name.endswith(_SUFFIX) else name + _SUFFIX


def _write(frame: Frame, path: Path) -> None:
    pa = required_pyarrow()
    import pyarrow.parquet as parquet

    try:
        # The stream protocol ends a name at its first NUL; Arrow's own tables need no protocol.
        table: Any = frame if isinstance(frame, pa.Table) else None
        reader = pa.RecordBatchReader.from_stream(frame) if table is None else table.to_reader()
        with parquet.ParquetWriter(path, reader.schema, compression="zstd") as writer:
            for batch in reader:
                writer.write_batch(batch)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise UnwritableTableError(
            f"The table was not written as Parquet: {error}",
            "Give every column one type and a text for a name, then register it again.",
        ) from error
