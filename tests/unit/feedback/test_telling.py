"""Every failure is an event for the operator, with the same words and without the same secrets."""

from __future__ import annotations

import logging

import pytest

from session_datasets.client.errors import error_of
from session_datasets.domain.errors import ProblemCode
from session_datasets.feedback import (
    EstimateExceededError,
    RowBudgetExceededError,
    SessionSetupError,
    feedback_of,
    format_budget_block,
    format_estimate_block,
    format_query_error,
    format_setup_error,
)
from session_datasets.feedback.telling import LOGGER
from tests.unit.client.test_errors import problem


def only(caplog: pytest.LogCaptureFixture) -> logging.LogRecord:
    (record,) = caplog.records
    return record


def test_one_event_says_what_the_model_was_told(caplog: pytest.LogCaptureFixture) -> None:
    feedback = feedback_of(error_of(problem(ProblemCode.UNKNOWN_COLUMN)), what="read_rows call", submitted={"a": 1})
    record = only(caplog)
    assert record.name == "session_datasets.feedback"
    assert record.feedback == feedback.structured()  # type: ignore[attr-defined]
    assert record.getMessage() == (
        "feedback.rejected read_rows call: InvalidRequestError (unknown-column): Nothing was done."
    )


@pytest.mark.parametrize(
    ("told", "name", "level"),
    [
        (lambda: format_query_error(ValueError("x"), query="q"), "feedback.rejected ", logging.WARNING),
        (lambda: format_estimate_block(EstimateExceededError("x")), "feedback.estimate ", logging.WARNING),
        (lambda: format_budget_block(RowBudgetExceededError("x")), "feedback.budget ", logging.WARNING),
        (lambda: format_setup_error(SessionSetupError("x")), "feedback.setup ", logging.ERROR),
        (lambda: feedback_of(ValueError("x")), "feedback.failed ", logging.ERROR),
    ],
    ids=["query", "estimate", "budget", "setup", "unexpected"],
)
def test_each_family_has_a_name_to_count_by(
    told: object, name: str, level: int, caplog: pytest.LogCaptureFixture
) -> None:
    told()  # type: ignore[operator]
    record = only(caplog)
    assert record.getMessage().startswith(name)
    assert record.levelno == level


def test_a_failure_of_ours_is_logged_without_a_traceback(caplog: pytest.LogCaptureFixture) -> None:
    feedback_of(EstimateExceededError("x"))
    assert "traceback" not in only(caplog).feedback  # type: ignore[attr-defined]


def test_an_unknown_exception_is_logged_with_its_traceback_and_without_its_secrets(
    caplog: pytest.LogCaptureFixture,
) -> None:
    try:
        try:
            raise OSError("postgres://ana:hunter2@db")
        except OSError as cause:
            raise ValueError("PGPASSWORD=hunter2 at arn:aws:s3:::acme-data") from cause
    except ValueError as error:
        feedback = feedback_of(error, submitted="token=hunter2")
    record = only(caplog)
    assert "hunter2" not in str(vars(record))
    traceback = record.feedback["traceback"]  # type: ignore[attr-defined]
    assert "test_telling.py" in traceback
    assert "postgres://***@db" in traceback
    # Whoever operates the account needs its names; the model is not told them.
    assert "acme-data" in traceback
    assert "acme-data" not in feedback.text()


def test_the_event_and_the_model_have_the_same_correlation_id(caplog: pytest.LogCaptureFixture) -> None:
    feedback = feedback_of(ValueError("x"))
    assert only(caplog).feedback["correlation_id"] == feedback.correlation_id  # type: ignore[attr-defined]


def test_a_log_that_fails_takes_no_answer_with_it() -> None:
    class Broken(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            raise RuntimeError("disk full")

    handler = Broken()
    LOGGER.addHandler(handler)
    try:
        assert "ValueError" in feedback_of(ValueError("x")).text()
    finally:
        LOGGER.removeHandler(handler)


def test_a_log_that_is_turned_off_is_not_written(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.CRITICAL, LOGGER.name):
        feedback_of(ValueError("x"))
    assert caplog.records == []
