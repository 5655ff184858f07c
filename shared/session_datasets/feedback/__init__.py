"""Errors as corrective feedback: what a model is told when something was refused or failed.

>>> from session_datasets.feedback import SessionBudget, as_feedback, feedback_of
>>> budget = SessionBudget(10_000)
>>> @as_feedback(what="query")
... def query(sql: str) -> list: ...
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from session_datasets.lazy import offered

if TYPE_CHECKING:
    from session_datasets.feedback.budget import SessionBudget as SessionBudget
    from session_datasets.feedback.errors import EstimateExceededError as EstimateExceededError
    from session_datasets.feedback.errors import GuardError as GuardError
    from session_datasets.feedback.errors import RowBudgetExceededError as RowBudgetExceededError
    from session_datasets.feedback.errors import SessionSetupError as SessionSetupError
    from session_datasets.feedback.errors import check_estimate as check_estimate
    from session_datasets.feedback.explaining import feedback_of as feedback_of
    from session_datasets.feedback.failures import Failures as Failures
    from session_datasets.feedback.formats import format_budget_block as format_budget_block
    from session_datasets.feedback.formats import format_estimate_block as format_estimate_block
    from session_datasets.feedback.formats import format_query_error as format_query_error
    from session_datasets.feedback.formats import format_setup_error as format_setup_error
    from session_datasets.feedback.model import Execution as Execution
    from session_datasets.feedback.model import Family as Family
    from session_datasets.feedback.model import Feedback as Feedback
    from session_datasets.feedback.wrapping import as_feedback as as_feedback
    from session_datasets.feedback.wrapping import passes as passes

# Where each public name lives; loaded when it is asked for.
_HOMES = {
    "EstimateExceededError": "errors",
    "Execution": "model",
    "Failures": "failures",
    "Family": "model",
    "Feedback": "model",
    "GuardError": "errors",
    "RowBudgetExceededError": "errors",
    "SessionBudget": "budget",
    "SessionSetupError": "errors",
    "as_feedback": "wrapping",
    "check_estimate": "errors",
    "feedback_of": "explaining",
    "format_budget_block": "formats",
    "format_estimate_block": "formats",
    "format_query_error": "formats",
    "format_setup_error": "formats",
    "passes": "wrapping",
}

__all__ = sorted(_HOMES)

__getattr__, __dir__ = offered(__name__, _HOMES)
