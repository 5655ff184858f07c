"""What a guard around a query raises; part of the client's tree, so that one ``except`` catches all of it."""

from __future__ import annotations

from session_datasets.client.errors import SessionDatasetsError


class GuardError(SessionDatasetsError):
    """A guard said no."""

    title = "A guard refused it"


class EstimateExceededError(GuardError):
    """Refused before it ran: what it would return is estimated to be too large."""

    title = "The estimated result is too large"


class RowBudgetExceededError(GuardError):
    """It ran, and its result is withheld: the session has no rows left to give out."""

    title = "The session's row budget is used up"


class SessionSetupError(SessionDatasetsError):
    """The connection or session could not be prepared; ``__cause__`` is why. No change of a query mends it."""

    title = "The session could not be prepared"


def check_estimate(estimated_rows: int, max_rows: int) -> None:
    """EstimateExceededError if a query would return more than ``max_rows`` rows; as many are allowed."""
    if estimated_rows > max_rows:
        raise EstimateExceededError(
            f"About {estimated_rows:,} rows would be returned; at most {max_rows:,} are allowed.",
            "Filter more narrowly or aggregate, then try again.",
        )
