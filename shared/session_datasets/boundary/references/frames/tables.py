"""An Arrow table as a file: Parquet, or an Arrow file where Parquet would give back another table."""

from __future__ import annotations

from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any

from session_datasets.boundary import typed_json
from session_datasets.boundary.references.errors import UnreadableReferenceError, UnsupportedFrameError
from session_datasets.boundary.references.frames import arrow_files, parquet_files
from session_datasets.boundary.references.guards import first_line, told_as
from session_datasets.client.frames import required_pyarrow

# How the frame is made of the table, as typed JSON in the metadata of its schema.
RECIPE_KEY = b"session_datasets.frame"
Table = Any


@dataclass(frozen=True, slots=True)
class Written:
    """``why`` it is no Parquet file; empty when it is one."""

    path: Path
    format: str
    why: str = ""


def write_table(table: Table, folder: Path) -> Written:
    """A file in ``folder``; of a try that failed nothing is left. UnsupportedFrameError when no format holds it."""
    pa = required_pyarrow()
    import pyarrow.parquet as parquet

    why = _lost_in_parquet(table)
    path = folder / "value.parquet"
    if not why:
        try:
            parquet.write_table(table, path, compression="zstd", use_compliant_nested_type=False)
            if parquet.read_schema(path).equals(table.schema, check_metadata=True):
                return Written(path, "parquet")
            why = "Parquet would give back other types"
        except (pa.ArrowException, ValueError, TypeError, OSError) as error:
            if isinstance(error, OSError) and not isinstance(error, pa.ArrowException):
                path.unlink(missing_ok=True)
                raise
            why = f"Parquet refused it: {first_line(error)}"
        path.unlink(missing_ok=True)
    return Written(_write_arrow(pa, table, folder / "value.arrow"), "arrow", why)


def _write_arrow(pa: Any, table: Table, path: Path) -> Path:
    try:
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
    except pa.ArrowException as error:
        path.unlink(missing_ok=True)
        raise UnsupportedFrameError(
            f"The frame was not saved, for no format holds it: {first_line(error)}.",
            "Give every column a plain type, and save it again.",
        ) from error
    return path


def _lost_in_parquet(table: Table) -> str:
    """What the file would change although its schema may come back the same."""
    if table.num_rows and not table.num_columns:
        return "Parquet does not keep rows without columns"
    for name, each in zip(table.schema.names, table.schema.types, strict=True):
        if lost := _lost_type(each):
            return f"Parquet does not keep {lost} (column {name!r})"
    return ""


def _lost_type(arrow_type: Any) -> str:
    types = required_pyarrow().types
    if types.is_dictionary(arrow_type):
        return "the order of a dictionary"
    if types.is_date64(arrow_type):
        return "the milliseconds of a date64"
    if types.is_fixed_size_list(arrow_type):
        return "a fixed-size list"
    if types.is_list_view(arrow_type) or types.is_large_list_view(arrow_type):
        return "a view of a list"
    if isinstance(arrow_type, required_pyarrow().BaseExtensionType):
        return "an extension type"
    inner = [arrow_type.field(index).type for index in range(arrow_type.num_fields)]
    return next((lost for each in inner if (lost := _lost_type(each))), "")


def read_table(file: BufferedReader, format: str, bytes_max: int) -> Table:
    """The table, exactly as written. OverBudget when it unpacks to more than ``bytes_max``, before memory is taken for
    it; UnreadableReferenceError for a file that is none of this format, or none that this package wrote."""
    with told_as(
        lambda what: UnreadableReferenceError(
            f"The file is no {format} file that this process reads: {what}.",
            "Install the pyarrow that wrote it, or run the node that produced it again.",
        )
    ):
        return (arrow_files if format == "arrow" else parquet_files).unpacked(file, bytes_max)


def with_recipe(table: Table, recipe: dict[str, Any]) -> Table:
    metadata = {**(table.schema.metadata or {}), RECIPE_KEY: typed_json.dumps(recipe)}
    return table.replace_schema_metadata(metadata)


def recipe_of(table: Table) -> dict[str, Any]:
    metadata = table.schema.metadata or {}
    if RECIPE_KEY not in metadata:
        raise UnreadableReferenceError(
            "The file does not say which frame it is.", "Pass a reference exactly as save or externalize gave it."
        )
    recipe: dict[str, Any] = typed_json.loads(metadata[RECIPE_KEY])
    return recipe


def without_recipe(table: Table) -> Table:
    metadata = {key: each for key, each in (table.schema.metadata or {}).items() if key != RECIPE_KEY}
    return table.replace_schema_metadata(metadata or None)
