"""One column of pandas as one Arrow column, and exactly the same column again.

What Arrow has no type for (cells of mixed types, complex numbers) becomes typed JSON, a text per cell; text stays text.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC
from typing import Any
from zoneinfo import ZoneInfo

from session_datasets.boundary import typed_json
from session_datasets.boundary.references.errors import UnsupportedFrameError
from session_datasets.boundary.references.frames.freqs import freq_text, with_freq
from session_datasets.boundary.typed.registry import REGISTRY, Registry
from session_datasets.boundary.typed.scalars import zone_json, zone_of

_NAT = -(2**63)
_SECONDS_IN_MS_MAX = 2**63 // 1000 - 1
_NULLABLE = frozenset(
    {"boolean", "Float32", "Float64", *(f"{sign}Int{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64))}
)
Spec = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Column:
    """``arrow`` has the cells, ``spec`` says what they were; ``as_json``: they are texts of typed JSON."""

    arrow: Any
    spec: Spec

    @property
    def as_json(self) -> bool:
        return bool(self.spec["how"] == "json")


def encoded(values: Any, where: str) -> Column:
    """Of a Series or an Index; ``where`` names it in the error. UnsupportedFrameError for a type that has no rule."""
    import numpy as np
    import pandas as pd
    import pyarrow as pa

    dtype = values.dtype
    if isinstance(dtype, np.dtype):
        return _of_numpy(values.to_numpy(), where)
    if type(dtype) is pd.StringDtype:
        spec = {"how": "string", "storage": dtype.storage, "nan": dtype.na_value is not pd.NA}
        try:
            return Column(pa.array(values.array, type=pa.large_string(), from_pandas=True), spec)
        except (UnicodeEncodeError, pa.ArrowException) as error:
            raise _unsupported(where, dtype, f"holds text that is no Unicode ({error})", "object") from None
    if type(dtype) is pd.ArrowDtype:
        return Column(pa.chunked_array(values.array.__arrow_array__()), {"how": "arrow"})
    if str(dtype) in _NULLABLE:
        return Column(_of_nullable(values), {"how": "nullable", "dtype": str(dtype)})
    if type(dtype) is pd.DatetimeTZDtype:
        return _of_zoned(values, dtype)
    if type(dtype) is pd.CategoricalDtype:
        return _of_category(values, dtype, where)
    raise _unsupported(where, dtype, "has no rule that keeps it", "object, or to a type of NumPy or Arrow")


def _unsupported(where: str, dtype: Any, why: str, wanted: str) -> UnsupportedFrameError:
    return UnsupportedFrameError(
        f"The {where} of dtype {dtype} {why}; nothing was saved.", f"Convert it with astype to {wanted}."
    )


def _of_numpy(values: Any, where: str) -> Column:
    import pyarrow as pa

    dtype = values.dtype
    if dtype.kind in "biu" or (dtype.kind == "f" and dtype.itemsize <= 8):
        return Column(pa.array(values.astype(dtype.newbyteorder("="))), {"how": "numpy", "dtype": dtype.str})
    if dtype.kind in "mM":
        return _of_ticks(values, {"how": "ticks", "dtype": dtype.str}, None)
    if dtype.kind == "O":
        kinds = {type(cell) for cell in values}
        if kinds <= {str, type(None)}:
            try:
                return Column(pa.array(values, type=pa.large_string()), {"how": "text"})
            except (UnicodeEncodeError, pa.ArrowException):
                return _of_json(values, where)
    if dtype.kind == "O" or (dtype.kind == "c" and dtype.itemsize <= 16):
        return _of_json(values, where)
    raise _unsupported(where, dtype, "has no rule that keeps it", "object")


def _of_nullable(values: Any) -> Any:
    import pyarrow as pa

    if values.dtype.kind != "f":
        return pa.array(values.array)
    # Beside a missing number may stand one that is none.
    numbers = values.array.to_numpy(dtype=values.dtype.numpy_dtype, na_value=0)
    return pa.array(numbers, mask=values.array.isna(), from_pandas=False)


def _of_ticks(values: Any, spec: Spec, zone: str | None) -> Column:
    """Points and spans of time by their count of units, of which one number stands for none."""
    import numpy as np
    import pyarrow as pa

    unit = np.datetime_data(values.dtype)[0]
    ticks = values.view("i8")
    missing = ticks == _NAT
    if values.dtype.kind == "m":
        return Column(pa.array(ticks, mask=missing).cast(pa.duration(unit)), spec)
    if unit == "s" and not (abs(ticks[~missing]) > _SECONDS_IN_MS_MAX).any():
        # Parquet has no timestamps in seconds.
        ticks, unit = np.where(missing, 0, ticks) * 1000, "ms"
    return Column(pa.array(ticks, mask=missing).cast(pa.timestamp(unit, zone)), spec)


def _of_zoned(values: Any, dtype: Any) -> Column:
    spec = {"how": "zoned", "unit": dtype.unit, "zone": zone_json(dtype.tz)}
    shown = dtype.tz.key if type(dtype.tz) is ZoneInfo else "UTC"
    utc = values.array.tz_convert("UTC").tz_localize(None).to_numpy()
    return _of_ticks(utc, spec, shown)


def _of_category(values: Any, dtype: Any, where: str) -> Column:
    import pyarrow as pa

    categories = encoded(dtype.categories, f"categories of the {where}")
    codes = values.array.codes
    spec = {"how": "category", "ordered": dtype.ordered, "categories": packed([categories])}
    try:
        spec["name"] = typed_json.dump(dtype.categories.name, registry=cell_types())
    except typed_json.TypedJsonError as error:
        raise UnsupportedFrameError(
            f"The name of the categories of the {where} was not saved: {error.detail}", error.advice
        ) from error
    spec["freq"] = freq_text(dtype.categories)
    # The cells are the categories themselves, so that whoever reads the file sees them and no numbers.
    cells = pa.chunked_array([categories.arrow]) if isinstance(categories.arrow, pa.Array) else categories.arrow
    return Column(cells.take(pa.array(codes.astype("i8"), mask=codes < 0)), spec)


def _of_json(values: Any, where: str) -> Column:
    import pyarrow as pa

    texts, types = [], cell_types()
    for row, cell in enumerate(values.tolist() if values.dtype.kind == "c" else values):
        try:
            texts.append(typed_json.dumps(cell, registry=types).decode())
        except typed_json.TypedJsonError as error:
            raise UnsupportedFrameError(
                f"The {where} holds a cell in row {row} that was not saved: {error.detail}", error.advice
            ) from error
    return Column(pa.array(texts, type=pa.large_string()), {"how": "json", "dtype": values.dtype.str})


def decoded(arrow: Any, spec: Spec) -> Any:
    """The array of pandas or NumPy that was encoded. LookupError, TypeError or ValueError for a spec that is none."""
    import numpy as np
    import pandas as pd
    import pyarrow as pa

    how = spec["how"]
    if how in ("text", "json", "string") and arrow.type != pa.large_string():
        # Of another type a short column could be spelled out to a long one.
        raise ValueError(f"cells of {arrow.type} where texts were written")
    if how == "numpy":
        return arrow.to_numpy().astype(np.dtype(spec["dtype"]), copy=False)
    if how == "ticks":
        return _ticks(arrow, np.dtype(spec["dtype"]))
    if how == "text":
        return arrow.to_numpy(zero_copy_only=False).astype(object) if len(arrow) else np.empty(0, dtype=object)
    if how == "json":
        cells = np.empty(len(arrow), dtype=object)
        types = cell_types()
        for row, text in enumerate(arrow.to_pylist()):
            cells[row] = typed_json.loads(text, registry=types)
        return cells.astype(np.dtype(spec["dtype"]), copy=False)
    if how == "string":
        string = pd.StringDtype(spec["storage"], na_value=np.nan if spec["nan"] else pd.NA)
        return string.__from_arrow__(arrow)
    if how == "arrow":
        return pd.ArrowDtype(arrow.type).__from_arrow__(arrow)
    if how == "nullable" and spec["dtype"] in _NULLABLE:
        if spec["dtype"].startswith("Float"):
            missing = arrow.is_null().to_numpy()
            return pd.arrays.FloatingArray(np.array(arrow.fill_null(0).to_numpy()), np.array(missing))
        return pd.api.types.pandas_dtype(spec["dtype"]).__from_arrow__(arrow)
    if how == "zoned":
        ticks = _ticks(arrow, np.dtype(f"M8[{spec['unit']}]"))
        return pd.DatetimeIndex(ticks).tz_localize("UTC").tz_convert(zone_of(spec["zone"])).array
    if how == "category":
        [(cells, cell_spec)] = unpacked(spec["categories"])
        found = pa.compute.index_in(arrow, value_set=cells.combine_chunks())
        codes = found.fill_null(-1).to_numpy()
        name = typed_json.load(spec.get("name"), registry=cell_types())
        categories = with_freq(pd.Index(decoded(cells, cell_spec), name=name), spec.get("freq"))
        return pd.Categorical.from_codes(codes, categories=categories, ordered=spec["ordered"])
    raise ValueError(f"no rule {how!r} for a column")


def _ticks(arrow: Any, dtype: Any) -> Any:
    import numpy as np
    import pyarrow as pa

    ticks = arrow.cast(pa.int64()).fill_null(_NAT).to_numpy()
    unit = np.datetime_data(dtype)[0]
    if pa.types.is_timestamp(arrow.type) and arrow.type.unit != unit:
        return np.where(ticks == _NAT, _NAT, ticks // 1000).view(dtype)
    return np.array(ticks).view(dtype)


def packed(columns: list[Column]) -> bytes:
    """Columns that are no cells of the frame (labels, categories), as one Arrow stream in the recipe."""
    import pyarrow as pa

    table = pa.table([each.arrow for each in columns], names=[str(number) for number in range(len(columns))])
    schema = table.schema.with_metadata({b"specs": typed_json.dumps([each.spec for each in columns])})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, schema) as writer:
        writer.write_table(table.replace_schema_metadata(schema.metadata))
    return bytes(sink.getvalue())


def unpacked(data: bytes) -> list[tuple[Any, Spec]]:
    import pyarrow as pa

    table = pa.ipc.open_stream(data).read_all()
    specs = typed_json.loads(table.schema.metadata[b"specs"])
    return list(zip(table.columns, specs, strict=True))


def cell_types() -> Registry:
    """What a program registered, and pandas' own: Timestamp, Timedelta, NaT and NA."""
    import pandas as pd

    types = REGISTRY.extended()
    types.register(type(pd.NA), name="pandas.NA", parts=lambda _: None, build=lambda _: pd.NA)
    types.register(type(pd.NaT), name="pandas.NaT", parts=lambda _: None, build=lambda _: pd.NaT)
    types.register(pd.Timedelta, name="pandas.Timedelta", parts=lambda cell: cell.asm8, build=pd.Timedelta)
    types.register(pd.Timestamp, name="pandas.Timestamp", parts=_timestamp_parts, build=_timestamp)
    return types


def _timestamp_parts(cell: Any) -> Any:
    return [cell.asm8, cell.fold, zone_json(cell.tz)]


def _timestamp(parts: Any) -> Any:
    import pandas as pd

    moment, fold, zone = parts
    stamp = pd.Timestamp(moment)
    zone = zone_of(zone)
    stamp = stamp if zone is None else stamp.tz_localize(UTC).tz_convert(zone)
    return stamp.replace(fold=fold) if fold != stamp.fold else stamp
