"""What a value is, told by the module of its type, so that no library is imported to find out that it is not there."""

from __future__ import annotations

from enum import Enum

_PANDAS = frozenset({"DataFrame", "Series"})
_POLARS = frozenset({"DataFrame", "LazyFrame", "Series"})
_ARROW = frozenset({"Table", "RecordBatch"})


class Kind(Enum):
    PANDAS = "pandas"
    POLARS = "polars"
    ARROW = "pyarrow"
    ARRAY = "numpy"
    OTHER = "other"


def kind_of(value: object) -> Kind:
    """The library of a frame or an array, also for a subclass of one; OTHER for everything else."""
    if type(value).__module__ == "builtins":
        return Kind.OTHER
    for base in type(value).__mro__:
        library, name = base.__module__.partition(".")[0], base.__name__
        if library == "pandas" and name in _PANDAS:
            return Kind.PANDAS
        if library == "polars" and name in _POLARS:
            return Kind.POLARS
        if library == "pyarrow" and name in _ARROW:
            return Kind.ARROW
        if library == "numpy" and name == "ndarray":
            return Kind.ARRAY
    return Kind.OTHER


def is_frame(value: object) -> bool:
    return kind_of(value) in (Kind.PANDAS, Kind.POLARS, Kind.ARROW)


def is_array(value: object) -> bool:
    return kind_of(value) is Kind.ARRAY


def type_name(value: object) -> str:
    """``pandas.DataFrame``: the library, not the module in it that has the class."""
    kind = type(value)
    library = kind.__module__.partition(".")[0]
    return kind.__name__ if library == "builtins" else f"{library}.{kind.__name__}"
