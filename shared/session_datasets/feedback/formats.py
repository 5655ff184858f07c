"""Feedback as text, by the families that users of database agents know."""

from __future__ import annotations

from session_datasets.feedback.explaining import of_family, rejected
from session_datasets.feedback.model import Family


def format_query_error(exc: BaseException, *, query: str | None = None, what: str = "query") -> str:
    """What an engine rejected: it was not executed; how to correct it. ``query`` is shown as it was submitted, without
    secrets, cut at 2,000 characters."""
    return rejected(exc, what=what, submitted=query).text()


def format_estimate_block(exc: BaseException, *, what: str = "query") -> str:
    """What a guard refused before it ran, because its estimated result is too large."""
    return of_family(exc, Family.ESTIMATE, what=what).text()


def format_budget_block(exc: BaseException, *, what: str = "query") -> str:
    """What did run, and whose result is withheld: the session's row budget is used up."""
    return of_family(exc, Family.BUDGET, what=what).text()


def format_setup_error(exc: BaseException, *, what: str = "query") -> str:
    """What could not even begin; it tells the model to stop, for no other query would do better."""
    return of_family(exc, Family.SETUP, what=what).text()
