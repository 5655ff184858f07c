"""Whatever a library lets out of a value or a file that it does not bear is one of our errors, never its own.

NumPy, pandas, polars and Arrow raise what their insides raise, and polars' panics are no ``Exception`` at all: a list
of their types would be one release old.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from session_datasets.client.errors import SessionDatasetsError

_SHOWN_CHARACTERS_MAX = 200


class OverBudget(Exception):
    """What is being unpacked takes more bytes than are left."""


@contextmanager
def told_as(make: Callable[[str], SessionDatasetsError]) -> Iterator[None]:
    """Raises ``make("ValueError: what it said")`` in the place of it. Ours, a budget, a full disk and an interruption
    pass as they are."""
    try:
        yield
    except (SessionDatasetsError, OverBudget):
        raise
    except BaseException as error:
        if _is_of_the_machine(error) or not (isinstance(error, Exception) or _is_panic(error)):
            raise
        raise make(f"{type(error).__name__}: {first_line(error)}") from error


def first_line(error: BaseException) -> str:
    """Of what it says, short and without the full stop."""
    return str(error).partition("\n")[0][:_SHOWN_CHARACTERS_MAX].rstrip(". ")


def _is_of_the_machine(error: BaseException) -> bool:
    # Arrow's complaints of a file's bytes are OSErrors, too, and have no number.
    return isinstance(error, OSError) and error.errno is not None


def _is_panic(error: BaseException) -> bool:
    # Of a library in Rust: each has a class of its own of this name.
    return type(error).__name__ == "PanicException"
