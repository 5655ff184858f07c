"""How many rows a session may still be given: one number, charged by whoever returns rows, from any thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from session_datasets.feedback.errors import RowBudgetExceededError

RESET_ADVICE = "Aggregate or summarize instead of fetching more rows. A new session begins with its whole budget."


class SessionBudget:
    """At most ``budget`` rows in all; None counts without a bound.

    Charged after a call has succeeded, so a failed call costs nothing; a charge that does not fit is refused whole and
    costs nothing either, so a smaller result still fits. One budget belongs to one session: a new session, or
    ``reset`` by the host of this one, begins anew.
    """

    def __init__(self, budget: int | None = None) -> None:
        if budget is not None and _rows(budget) < 0:
            raise ValueError(f"a budget of {budget:,} rows can not be: it is 0 or more, or None for no bound")
        self._budget = budget
        self._consumed = 0
        # How often it began anew: what was charged before is no part of what was consumed since.
        self._epoch = 0
        self._lock = threading.Lock()

    @property
    def budget(self) -> int | None:
        return self._budget

    @property
    def consumed(self) -> int:
        return self._consumed

    @property
    def remaining(self) -> int | None:
        """Rows that still fit; None without a bound."""
        return None if self._budget is None else self._budget - self._consumed

    def charge(self, rows: int) -> None:
        """Takes ``rows`` off the budget, or raises RowBudgetExceededError and takes nothing."""
        self._charge(rows)

    def _charge(self, rows: int) -> int:
        """The epoch in which it was charged."""
        if _rows(rows) < 0:
            raise ValueError(f"{rows:,} rows can not be charged: a result has 0 rows or more")
        with self._lock:
            left = None if self._budget is None else self._budget - self._consumed
            if left is None or rows <= left:
                self._consumed += rows
                return self._epoch
        raise RowBudgetExceededError(
            f"The result has {rows:,} rows; {left:,} of this session's {self._budget:,} are left.",
            (f"Ask for at most {left:,} rows, or aggregate. " if left else "")
            + (RESET_ADVICE if not left else "A new session begins with its whole budget."),
        )

    @contextmanager
    def charged(self, rows: int) -> Iterator[None]:
        """Charges ``rows`` while they are handed over, and takes the charge back if that fails."""
        epoch = self._charge(rows)
        try:
            yield
        except BaseException:
            with self._lock:
                if epoch == self._epoch:
                    self._consumed -= rows
            raise

    def reset(self) -> None:
        """The whole budget again. For the host of a session; no tool should offer it to the model."""
        with self._lock:
            self._consumed = 0
            self._epoch += 1


def _rows(number: int) -> int:
    """Nobody can be given half a row, and True is no number of rows."""
    if isinstance(number, bool) or not isinstance(number, int):
        raise TypeError(f"a number of rows is an int, not {type(number).__name__}; nothing was charged")
    return number
