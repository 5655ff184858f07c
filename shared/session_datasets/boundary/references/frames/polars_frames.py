"""polars' frames and series as Arrow tables: every type that comes back as itself, the others refused by name."""

from __future__ import annotations

from typing import Any

from session_datasets.boundary.references.errors import UnsupportedFrameError
from session_datasets.boundary.references.frames.names import field_names
from session_datasets.boundary.references.frames.tables import recipe_of, with_recipe, without_recipe
from session_datasets.boundary.references.guards import told_as
from session_datasets.boundary.references.pointer import told_names

Facts = dict[str, Any]


def to_table(value: Any) -> tuple[Any, Facts]:
    """The table with its recipe, and what the pointer tells of it."""
    import polars as pl

    if type(value) not in (pl.DataFrame, pl.Series):
        raise UnsupportedFrameError(
            f"A polars {type(value).__name__} was not saved.", "Pass a plain DataFrame: value.collect(), or a copy."
        )
    is_series = type(value) is pl.Series
    frame = value.to_frame() if is_series else value
    recipe = {
        "frame": "series" if is_series else "frame",
        "dtypes": [_recipe(each) for each in frame.dtypes],
        # Not every name of polars is one of Arrow; the empty text it takes back as another.
        "names": frame.columns,
        # Without columns no table of Arrow tells.
        **({"rows": frame.height} if frame.height and not frame.width else {}),
    }
    named = frame.clone()
    named.columns = field_names(frame.columns)
    texts = [pl.nth(at).cast(pl.String) for at, each in enumerate(frame.dtypes) if _recipe(each) is not None]
    with told_as(
        lambda what: _unsupported([f"{name} ({each})" for name, each in frame.schema.items()], what),
    ):
        table = named.with_columns(texts).to_arrow(compat_level=pl.CompatLevel.oldest())
        # With a row: some types fail with their first cell only.
        back = _frame(table.slice(0, 1), recipe)
    pairs = zip(frame.schema.items(), back.dtypes, strict=True)
    if lost := [f"{name} ({each})" for (name, each), found in pairs if found != each]:
        raise _unsupported(lost, "their type would come back as another")
    facts: Facts = {"shape": list(value.shape), "columns": told_names(frame.columns)}
    return with_recipe(table, recipe), facts


def from_table(table: Any) -> Any:
    recipe = recipe_of(table)
    frame = _frame(without_recipe(table), recipe)
    return frame.to_series() if recipe["frame"] == "series" else frame


def _frame(table: Any, recipe: dict[str, Any]) -> Any:
    import polars as pl

    if "rows" in recipe:
        return pl.DataFrame(height=recipe["rows"])
    frame: Any = pl.from_arrow(table)
    if "names" in recipe:
        frame.columns = recipe["names"]
    casts = []
    for at, each in enumerate(recipe["dtypes"]):
        if each is not None:
            casts.append(pl.nth(at).cast(pl.Categorical if each == "categorical" else pl.Enum(each["enum"])))
    return frame.with_columns(casts)


def _recipe(dtype: Any) -> Any:
    """Of the two types that Arrow has one for; as text their cells are the same everywhere."""
    import polars as pl

    if isinstance(dtype, pl.Enum):
        return {"enum": dtype.categories.to_list()}
    return "categorical" if isinstance(dtype, pl.Categorical) else None


def _unsupported(columns: list[str], why: str) -> UnsupportedFrameError:
    shown = ", ".join(told_names(columns)[:5])
    return UnsupportedFrameError(
        f"The polars frame was not saved: {shown}: {why}.",
        "Cast these columns to a type that Arrow has, for example to String.",
    )
