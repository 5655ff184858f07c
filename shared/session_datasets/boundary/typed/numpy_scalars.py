"""NumPy's numbers (float64, int64, bool_, datetime64 ...), which are no numbers of Python: kept with their type."""

from __future__ import annotations

import base64
import re
import sys
from typing import Any

from session_datasets.boundary.typed.errors import UnsupportedValueError
from session_datasets.boundary.typed.scalars import Rule
from session_datasets.boundary.typed.tags import Json

# Not the long double, whose bytes differ from machine to machine, and neither text nor records, which are no numbers.
_DTYPE = re.compile(r"\|b1|[|<][iu][1248]|<f[248]|<c(8|16)|<[mM]8(\[[0-9]{0,9}[a-zA-Zμ]{1,2}\])?")


def is_numpy_scalar(value: object) -> bool:
    """Without importing NumPy: a value of it exists only where it was imported."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and type(value).__module__ == "numpy" and isinstance(value, numpy.generic)


def _write(value: Any) -> Json:
    dtype = value.dtype.newbyteorder("<")
    if not _DTYPE.fullmatch(dtype.str):
        raise UnsupportedValueError(
            f"A NumPy value of dtype {value.dtype} cannot be written as typed JSON.",
            "Pass value.item(), or an array of it.",
        )
    return [dtype.str, base64.b64encode(value.astype(dtype).tobytes()).decode("ascii")]


def _read(content: Json) -> object:
    name, text = content
    if type(name) is not str or not _DTYPE.fullmatch(name):
        raise ValueError("no dtype of a number")
    numpy = required_numpy()
    dtype, data = numpy.dtype(name), base64.b64decode(text, validate=True)
    if len(data) != dtype.itemsize:
        raise ValueError(f"{dtype.itemsize} bytes are expected")
    return numpy.frombuffer(data, dtype)[0]


def required_numpy() -> Any:
    """The library, or MissingExtraError that names how to get it."""
    try:
        import numpy
    except ImportError:
        from session_datasets.client.errors import MissingExtraError

        raise MissingExtraError(
            "The value holds NumPy's own types, and NumPy is not installed.",
            "Run: pip install 'session-datasets[numpy]'",
        ) from None
    return numpy


NUMPY = Rule("numpy", _write, _read)
