"""What guards around a query say, and what stands for exceptions of other libraries."""

from __future__ import annotations

from session_datasets.feedback import (
    GuardError,
    SessionBudget,
    SessionSetupError,
    as_feedback,
    check_estimate,
)
from session_datasets.feedback.errors import EstimateExceededError, RowBudgetExceededError
from session_datasets.feedback.explaining import rejected
from tests.contract.raised.showing import Examples, Place, raised

EXAMPLES = Examples({})
_QUERY = "SELECT prize FROM sales"


def _engine_rejects(place: Place) -> str:
    return rejected(ValueError('column "prize" does not exist'), what="query", submitted=_QUERY).text()


EXAMPLES.told("engine-rejected", _engine_rejects)


@EXAMPLES.answered(EstimateExceededError)
def estimate_exceeded(place: Place) -> str:
    error = raised(EstimateExceededError, lambda _: check_estimate(5_000_000, 1_000_000), place)
    return rejected(error, what="query").text()


@EXAMPLES.answered(RowBudgetExceededError)
def row_budget_exceeded(place: Place) -> str:
    error = raised(RowBudgetExceededError, lambda _: SessionBudget(10_000).charge(12_500), place)
    return rejected(error, what="query").text()


@EXAMPLES.of(GuardError, "query")
def guard(place: Place) -> None:
    """An application's own."""
    raise GuardError("Statements that write are not allowed.", "Read with SELECT.")


@EXAMPLES.of(SessionSetupError, "query")
def session_setup(place: Place) -> None:
    """Likewise, where it opens its connection."""
    try:
        raise ConnectionError("connect to postgres://reader:secret@db:5432/sales refused")
    except ConnectionError as error:
        raise SessionSetupError("The database session could not be opened.") from error


def _a_tool_breaks(place: Place) -> str:
    @as_feedback
    def summarize(column: str) -> float:
        return len(column) / 0

    return str(summarize("price"))


EXAMPLES.told("unexpected", _a_tool_breaks)
