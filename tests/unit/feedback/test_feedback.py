"""What a model is told of a failure, by the family that it belongs to."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from session_datasets.domain.correlation import correlated
from session_datasets.feedback import (
    EstimateExceededError,
    Execution,
    Family,
    Feedback,
    RowBudgetExceededError,
    SessionSetupError,
    feedback_of,
    format_budget_block,
    format_estimate_block,
    format_query_error,
    format_setup_error,
)
from session_datasets.feedback.fitting import FEEDBACK_BYTES_MAX, fitted, size_of, without_middle


def setup_error() -> SessionSetupError:
    error = SessionSetupError("No connection.")
    error.__cause__ = OSError("connect to postgres://ana:hunter2@db refused")
    return error


class TestQueryError:
    def test_it_says_that_nothing_was_executed_what_type_what_detail_what_was_submitted_and_what_next(self) -> None:
        text = format_query_error(ValueError("no such column: prize"), query="SELECT prize FROM sales")
        headline, kind, detail, label, submitted, _, next_step, _ = text.splitlines()
        assert headline == "Error: the query was NOT executed; it was rejected."
        assert kind == "Error type: ValueError (engine-rejected)"
        assert detail == "Detail: no such column: prize"
        assert (label, submitted) == ("Submitted query:", "SELECT prize FROM sales")
        assert next_step.startswith("Next step: Correct the query by the detail")

    @pytest.mark.parametrize("query", [None, "", "  \n\t"])
    def test_a_blank_query_is_left_out(self, query: str | None) -> None:
        assert "Submitted" not in format_query_error(ValueError("x"), query=query)

    @pytest.mark.parametrize("empty", [ValueError(), ValueError(""), ValueError("  ")])
    def test_an_error_without_words_has_a_fixed_phrase(self, empty: ValueError) -> None:
        assert "\nDetail: (the error gives no detail)\n" in format_query_error(empty)

    def test_a_query_of_2000_characters_is_not_cut(self) -> None:
        query = "x" * 2_000
        assert f"\n{query}\n" in format_query_error(ValueError("x"), query=query)

    def test_a_query_of_2001_characters_is_cut_with_a_mark(self) -> None:
        assert "\n" + "x" * 2_000 + " …[cut]\n" in format_query_error(ValueError("x"), query="x" * 2_001)

    def test_the_query_is_redacted_before_it_is_cut(self) -> None:
        query = "x" * 1_970 + " mysql://ana:hunter2" + "y" * 100 + "@host"
        assert "hunter" not in format_query_error(ValueError("x"), query=query)

    def test_query_and_detail_are_redacted(self) -> None:
        text = format_query_error(ValueError("DB_PASSWORD=hunter2"), query="SET password = 'hunter2'")
        assert "hunter2" not in text
        assert "SET password = '***'" in text


class TestGuards:
    def test_an_estimate_block_says_that_nothing_was_run(self) -> None:
        text = format_estimate_block(EstimateExceededError("~5,000,000 rows; token=hunter2"))
        assert text.startswith("Warning: the query was NOT executed")
        assert "Nothing was run." in text
        assert "estimate-exceeded" in text
        assert "hunter2" not in text

    def test_a_budget_block_says_that_it_ran_and_that_its_result_is_withheld(self) -> None:
        text = format_budget_block(RowBudgetExceededError("10 of 10 rows; token=hunter2"))
        assert text.startswith("Warning: the query was executed, but its result is withheld")
        assert "NOT executed" not in text
        assert "new session" in text
        assert "hunter2" not in text

    def test_a_setup_error_tells_the_cause_and_to_stop(self) -> None:
        text = format_setup_error(setup_error())
        assert "Detail: No connection. Caused by OSError: connect to postgres://***@db refused" in text
        assert "do not change or repeat it. Stop" in text

    @pytest.mark.parametrize(
        "text",
        [
            format_query_error(ValueError("x"), query="q", what="pipeline"),
            format_estimate_block(EstimateExceededError("x"), what="pipeline"),
            format_budget_block(RowBudgetExceededError("x"), what="pipeline"),
            format_setup_error(SessionSetupError("x"), what="pipeline"),
        ],
        ids=["query", "estimate", "budget", "setup"],
    )
    def test_the_label_stands_wherever_the_query_would(self, text: str) -> None:
        assert "the pipeline was" in text.splitlines()[0]
        assert "query" not in text

    def test_the_three_families_are_told_apart_whoever_raised_them(self) -> None:
        first_lines = {
            function(ValueError("x")).splitlines()[0]
            for function in (format_query_error, format_estimate_block, format_budget_block, format_setup_error)
        }
        assert len(first_lines) == 4

    @pytest.mark.parametrize(
        ("error", "family", "execution"),
        [
            (EstimateExceededError("x"), Family.ESTIMATE, Execution.NOT_EXECUTED),
            (RowBudgetExceededError("x"), Family.BUDGET, Execution.WITHHELD),
            (setup_error(), Family.SETUP, Execution.NOT_EXECUTED),
            (ValueError("x"), Family.FAILED, Execution.NOT_COMPLETED),
        ],
    )
    def test_an_exception_finds_its_family_by_itself(
        self, error: Exception, family: Family, execution: Execution
    ) -> None:
        feedback = feedback_of(error)
        assert (feedback.family, feedback.execution) == (family, execution)

    def test_a_guard_of_ours_stays_what_it_is_when_it_is_given_as_a_query_error(self) -> None:
        assert "Nothing was run." in format_query_error(EstimateExceededError("x"))


class TestUnknown:
    def test_an_unknown_exception_has_a_correlation_id_and_a_next_step(self) -> None:
        with correlated("cor-7"):
            text = feedback_of(ZeroDivisionError("division by zero"), what="chart call").text()
        assert text.startswith("Error: the chart call did NOT complete")
        assert "ZeroDivisionError (unexpected)" in text
        assert text.endswith("Correlation id: cor-7")
        assert "Next step:" in text

    def test_an_unknown_exception_outside_of_any_call_gets_an_id_of_its_own(self) -> None:
        first, second = feedback_of(ValueError()), feedback_of(ValueError())
        assert first.correlation_id.startswith("cor-")
        assert first.correlation_id != second.correlation_id

    def test_names_of_the_account_are_not_told(self) -> None:
        text = feedback_of(
            PermissionError(
                "User: arn:aws:sts::123456789012:assumed-role/fn/x may not s3:GetObject on "
                "https://acme-data.s3.eu-west-1.amazonaws.com/other/runs/run-9/ses/datasets/a.csv"
            )
        ).text()
        for name in ("123456789012", "acme-data", "run-9", "assumed-role"):
            assert name not in text
        assert "s3:GetObject" in text


def texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for each in value.items() for text in texts(each[1])]
    if isinstance(value, list):
        return [text for each in value for text in texts(each)]
    return [str(value)]


FEEDBACKS = st.builds(
    Feedback,
    what=st.sampled_from(["query", "read_rows call"]),
    family=st.sampled_from(Family),
    error_type=st.just("ValueError"),
    code=st.just("unknown-column"),
    detail=st.text(min_size=1),
    next_step=st.text(min_size=1),
    submitted=st.text(),
    did_you_mean=st.lists(st.text(min_size=1)).map(tuple),
    retry_with=st.dictionaries(st.sampled_from(["limit", "offset", "columns"]), st.integers() | st.text()),
    retryable=st.booleans(),
    attempts=st.integers(1, 9),
    correlation_id=st.from_regex(r"cor-[0-9a-f]{1,128}", fullmatch=True),
)


class TestForms:
    def test_text_and_structure_hold_the_same(self) -> None:
        feedback = Feedback(
            what="read_rows call",
            family=Family.REJECTED,
            error_type="InvalidRequestError",
            code="unknown-column",
            detail="No column 'prize'.",
            next_step="Use a column of the schema.",
            submitted='{"columns": ["prize"]}',
            did_you_mean=("price",),
            retry_with={"columns": ["price"]},
            attempts=2,
            correlation_id="cor-7",
        )
        structured = feedback.structured()
        assert structured.pop("execution") == "not_executed"
        assert structured.pop("family") == "rejected"
        assert structured.pop("retryable") is False
        assert [text for text in texts(structured) if text not in feedback.text()] == []
        assert all(str(part) in str(feedback.structured()) for part in ("price", "cor-7", 2, "prize"))

    @given(FEEDBACKS)
    def test_the_structure_is_json(self, feedback: Feedback) -> None:
        assert json.loads(json.dumps(feedback.structured())) == feedback.structured()

    @given(FEEDBACKS)
    def test_it_costs_a_model_at_most_200_tokens(self, feedback: Feedback) -> None:
        assert size_of(fitted(feedback)) <= FEEDBACK_BYTES_MAX

    @given(st.text(), st.text(), st.lists(st.text(min_size=20), max_size=5), st.text(max_size=2_000))
    def test_whatever_is_raised_costs_a_model_at_most_200_tokens(
        self, what: str, detail: str, names: list[str], more: str
    ) -> None:
        error = type(f"{detail[:9]}Error".replace("\0", "") or "E", (Exception,), {})(detail + more)
        feedback = feedback_of(error, what=what + more, submitted=names)
        assert size_of(feedback) <= FEEDBACK_BYTES_MAX

    @given(FEEDBACKS)
    def test_what_fits_is_left_as_it_is(self, feedback: Feedback) -> None:
        if size_of(feedback) <= FEEDBACK_BYTES_MAX:
            assert fitted(feedback) is feedback

    def test_of_a_long_detail_the_beginning_and_the_end_stay(self) -> None:
        text = feedback_of(ValueError("BEGIN " + "x" * 3_000 + " END")).text()
        assert "Detail: BEGIN x" in text
        assert "x END\n" in text

    @given(st.text(), st.integers(0, 500), st.integers(0, 100))
    def test_leaving_out_the_middle_never_makes_longer(self, text: str, over: int, floor: int) -> None:
        assert len(without_middle(text, over, floor).encode()) <= len(text.encode())
