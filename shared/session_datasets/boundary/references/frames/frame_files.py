"""Any frame to a file and back: which library's rules, and which format."""

from __future__ import annotations

from importlib import import_module
from io import BufferedReader
from pathlib import Path
from typing import Any

from session_datasets.boundary.references.errors import UnreadableReferenceError
from session_datasets.boundary.references.frames import tables
from session_datasets.boundary.references.guards import OverBudget, told_as
from session_datasets.boundary.references.kinds import Kind, type_name
from session_datasets.boundary.references.pointer import told_names
from session_datasets.client.errors import MissingExtraError
from session_datasets.client.frames import required_pandas, required_pyarrow

Facts = dict[str, Any]


def write_frame(value: Any, kind: Kind, folder: Path) -> tuple[Path, str, Facts]:
    """The file, its format and what the pointer tells. UnsupportedFrameError, or MissingExtraError without pyarrow."""
    required_pyarrow()
    table, facts = _table_of(value, kind)
    file = tables.write_table(table, folder)
    return file.path, file.format, {**facts, **({"why": file.why} if file.why else {})}


def _table_of(value: Any, kind: Kind) -> tuple[Any, Facts]:
    if kind is Kind.PANDAS:
        return _pandas().to_table(value)  # type: ignore[no-any-return]
    if kind is Kind.POLARS:
        return _polars().to_table(value)  # type: ignore[no-any-return]
    import pyarrow as pa

    table = pa.Table.from_batches([value]) if isinstance(value, pa.RecordBatch) else value
    return table, {"shape": list(table.shape), "columns": told_names(table.column_names)}


def read_frame(file: BufferedReader, format: str, value: str, bytes_max: int) -> tuple[Any, int]:
    """The frame that ``value`` names, and the bytes that its table takes, at least one for each cell: some of Arrow's
    columns take none, whatever their length. OverBudget above ``bytes_max``."""
    makers = {
        "pandas.DataFrame": _from_pandas,
        "pandas.Series": _from_pandas,
        "polars.DataFrame": _from_polars,
        "polars.Series": _from_polars,
        "pyarrow.Table": lambda table: table,
        "pyarrow.RecordBatch": _batch,
    }
    if value not in makers:
        raise UnreadableReferenceError(
            f"This process makes no {value!r} of a {format} file.", "Update session-datasets, or load its table."
        )
    if value.startswith("pandas"):
        required_pandas()
    if value.startswith("polars"):
        _required_polars()
    table = tables.read_table(file, format, bytes_max)
    with told_as(
        lambda what: UnreadableReferenceError(
            f"No {value} can be made of the file: {what}.",
            "Use the versions of session-datasets and of the library that wrote it.",
        )
    ):
        # Names that are no UTF-8 let an error out where its bytes are counted already.
        size = max(table.nbytes, table.num_rows * table.num_columns)
        if size > bytes_max:
            raise OverBudget
        return makers[value](table), size


def _batch(table: Any) -> Any:
    import pyarrow as pa

    batches = table.combine_chunks().to_batches()
    return (
        batches[0]
        if batches
        else pa.RecordBatch.from_arrays([pa.array([], type=each) for each in table.schema.types], schema=table.schema)
    )


def _from_pandas(table: Any) -> Any:
    return _pandas().from_table(table)


def _from_polars(table: Any) -> Any:
    return _polars().from_table(table)


def _pandas() -> Any:
    return import_module("session_datasets.boundary.references.frames.pandas_frames")


def _polars() -> Any:
    return import_module("session_datasets.boundary.references.frames.polars_frames")


def _required_polars() -> None:
    try:
        import_module("polars")
    except ImportError:
        raise MissingExtraError(
            "The reference is a polars frame, and polars is not installed.",
            "Run: pip install 'session-datasets[polars]'",
        ) from None


__all__ = ["read_frame", "type_name", "write_frame"]
