"""pandas' frames and series as Arrow tables: every cell, dtype, label and the index, or a refusal that says which."""

from __future__ import annotations

from typing import Any

from session_datasets.boundary import typed_json
from session_datasets.boundary.references.errors import UnsupportedFrameError
from session_datasets.boundary.references.frames.cells import (
    Column,
    Spec,
    cell_types,
    decoded,
    encoded,
    packed,
    unpacked,
)
from session_datasets.boundary.references.frames.freqs import freq_text, with_freq
from session_datasets.boundary.references.frames.names import field_names
from session_datasets.boundary.references.frames.tables import recipe_of, with_recipe
from session_datasets.boundary.references.pointer import told_name, told_names

Facts = dict[str, Any]


def to_table(value: Any) -> tuple[Any, Facts]:
    """The table with its recipe, and what the pointer tells of it. The index is kept: a range by its three numbers, any
    other as columns behind the frame's own."""
    import pandas as pd
    import pyarrow as pa

    if type(value) not in (pd.DataFrame, pd.Series):
        raise UnsupportedFrameError(
            f"{type(value).__name__} is a subclass, whose own parts no file keeps; nothing was saved.",
            "Pass a plain DataFrame of it: pandas.DataFrame(value).",
        )
    is_series = type(value) is pd.Series
    frame = value.to_frame(name="values") if is_series else value
    columns = [encoded(frame.iloc[:, at], f"column {told_name(frame.columns[at])!r}") for at in range(frame.shape[1])]
    index, index_columns = _axis(frame.index, "index")
    labels, label_columns = _axis(frame.columns, "labels of the columns")
    index_names = [told_name(name) if name is not None else "index" for name in frame.index.names]
    names = field_names(list(frame.columns), index_names if index_columns else [])
    recipe = {
        "frame": "series" if is_series else "frame",
        "columns": [each.spec for each in columns],
        "index": index,
        "index_columns": [each.spec for each in index_columns],
        "labels": {**labels, "packed": packed(label_columns)},
        "name": _written(value.name, "name") if is_series else None,
    }
    facts: Facts = {"shape": list(value.shape), "columns": told_names(list(frame.columns))}
    facts["index"] = names[len(columns) :] if index_columns else "range"
    if as_json := [told_name(frame.columns[at]) for at, each in enumerate(columns) if each.as_json]:
        facts["cells_as_json"] = told_names(as_json)
    if not value.flags.allows_duplicate_labels:
        recipe["duplicate_labels"] = False
    dropped = ["freq"] if any(map(_loses_freq, (frame.index, frame.columns, *_categories(frame)))) else []
    if value.attrs:
        try:
            recipe["attrs"] = _written(value.attrs, "attrs")
        except UnsupportedFrameError:
            dropped.append("attrs")
    if dropped:
        facts["dropped"] = dropped
    table = pa.table([each.arrow for each in (*columns, *index_columns)], names=names)
    return with_recipe(table, recipe), facts


def from_table(table: Any) -> Any:
    """The frame or series that ``to_table`` was given."""
    import pandas as pd

    recipe = recipe_of(table)
    count = len(recipe["columns"])
    specs = [*recipe["columns"], *recipe["index_columns"]]
    arrays = [decoded(arrow, spec) for arrow, spec in zip(table.columns, specs, strict=True)]
    index = _index(recipe["index"], arrays[count:])
    if recipe["frame"] == "series":
        value: Any = pd.Series(arrays[0], index=index, dtype=arrays[0].dtype, name=_read(recipe["name"]), copy=False)
    else:
        columns = [pd.Series(each, index=index, dtype=each.dtype, copy=False) for each in arrays[:count]]
        value = pd.DataFrame(dict(enumerate(columns)), index=index)
        labels = recipe["labels"]
        value.columns = _index(labels, [decoded(arrow, spec) for arrow, spec in unpacked(labels["packed"])])
    if "attrs" in recipe:
        value.attrs = _read(recipe["attrs"])
    return value.set_flags(allows_duplicate_labels=False) if "duplicate_labels" in recipe else value


def _axis(axis: Any, where: str) -> tuple[Spec, list[Column]]:
    """What says how the index is made, and the columns that it is made of."""
    import pandas as pd

    names = [_written(name, f"name of the {where}") for name in axis.names]
    if type(axis) is pd.RangeIndex:
        return {"axis": "range", "range": [axis.start, axis.stop, axis.step], "names": names}, []
    if type(axis) is pd.MultiIndex:
        levels = [encoded(axis.get_level_values(at), f"level {at} of the {where}") for at in range(axis.nlevels)]
        return {"axis": "levels", "names": names}, levels
    return {"axis": "values", "names": names, "freq": freq_text(axis)}, [encoded(axis, where)]


def _categories(frame: Any) -> list[Any]:
    dtypes = [*frame.dtypes, getattr(frame.index, "dtype", None), getattr(frame.columns, "dtype", None)]
    return [dtype.categories for dtype in dtypes if hasattr(dtype, "categories")]


def _loses_freq(axis: Any) -> bool:
    return getattr(axis, "freq", None) is not None and freq_text(axis) is None


def _index(spec: Spec, arrays: list[Any]) -> Any:
    import pandas as pd

    names = [_read(name) for name in spec["names"]]
    if spec["axis"] == "range":
        return pd.RangeIndex(*spec["range"], name=names[0])
    # An array of objects is left as it is; without its dtype pandas would guess another one.
    levels = [pd.Index(each, dtype=each.dtype) for each in arrays]
    if spec["axis"] == "levels":
        return pd.MultiIndex.from_arrays(levels, names=names)
    [index] = levels
    index.name = names[0]
    return with_freq(index, spec["freq"])


def _written(part: Any, where: str) -> Any:
    try:
        return typed_json.dump(part, registry=cell_types())
    except typed_json.TypedJsonError as error:
        raise UnsupportedFrameError(f"The {where} was not saved: {error.detail}", error.advice) from error


def _read(part: Any) -> Any:
    return typed_json.load(part, registry=cell_types())
