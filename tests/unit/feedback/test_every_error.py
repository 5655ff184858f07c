"""Every error of the product: what a model is told, and that it costs no more than 200 tokens."""

from __future__ import annotations

import json

import pytest

from session_datasets.client import errors
from session_datasets.client.errors import Again, ProblemError, SessionDatasetsError, error_of
from session_datasets.domain.errors import PROBLEM_KINDS, Problem, ProblemCode
from session_datasets.domain.limits import KEY_BYTES_MAX
from session_datasets.feedback import Family, feedback_of
from session_datasets.feedback import errors as guards
from session_datasets.feedback.explaining import code_of
from session_datasets.feedback.fitting import FEEDBACK_BYTES_MAX, size_of
from session_datasets.wire.problem import ProblemModel

# The longest that the service tells: whole keys, and advice of several sentences.
LONG = "A detail of the service that names " + "x" * KEY_BYTES_MAX + " to its end."


def problem(code: ProblemCode, detail: str = "Nothing was done.", **more: object) -> ProblemError:
    told = Problem(code, detail, PROBLEM_KINDS[code].advice, **more)  # type: ignore[arg-type]
    return error_of(ProblemModel.of(told, "request-1", "cor-" + "0" * 24))


def kinds(base: type[SessionDatasetsError]) -> list[type[SessionDatasetsError]]:
    return [base, *(kind for child in base.__subclasses__() for kind in kinds(child))]


# Those that an application or another room derives do not count: which ones are there depends on what was imported.
OURS = sorted(
    {
        kind
        for kind in kinds(SessionDatasetsError)
        if kind.__module__ in (errors.__name__, guards.__name__) and not issubclass(kind, ProblemError)
    },
    key=lambda kind: kind.__name__,
)


@pytest.mark.parametrize("code", ProblemCode)
def test_a_problem_is_told_with_its_code_advice_near_names_and_arguments(code: ProblemCode) -> None:
    error = problem(code, did_you_mean=("price", "prize"), retry_with={"limit": 100})
    feedback = feedback_of(error, what="read_rows call")
    text = feedback.text()
    assert (feedback.code, feedback.error_type) == (code.value, type(error).__name__)
    assert "Detail: Nothing was done.\nDid you mean: 'price', 'prize'?\nWould be accepted: {\"limit\": 100}" in text
    assert f"Next step: {PROBLEM_KINDS[code].advice}" in text
    assert f"Retryable: {'yes' if PROBLEM_KINDS[code].retryable else 'no'}" in text
    assert size_of(feedback) <= FEEDBACK_BYTES_MAX


@pytest.mark.parametrize("code", ProblemCode)
def test_the_longest_form_of_a_problem_costs_at_most_200_tokens(code: ProblemCode) -> None:
    names = tuple(f"{letter * KEY_BYTES_MAX}.csv" for letter in "abc")
    error = problem(code, LONG, did_you_mean=names, retry_with={"file_name": "é" * 300})
    feedback = feedback_of(error, what="register_artifact call", submitted={"key": "x" * KEY_BYTES_MAX})
    assert size_of(feedback) <= FEEDBACK_BYTES_MAX
    assert feedback.did_you_mean[0].endswith("a.csv")
    assert feedback.detail.endswith("to its end.")


@pytest.mark.parametrize("code", ProblemCode)
def test_a_problem_says_whether_anything_was_executed(code: ProblemCode) -> None:
    feedback = feedback_of(problem(code))
    status = PROBLEM_KINDS[code].status
    expected = Family.FAILED if status >= 500 else Family.SETUP if status == 401 else Family.REJECTED
    assert feedback.family is expected
    assert ("NOT executed" in feedback.text()) is (status < 500)


@pytest.mark.parametrize("kind", OURS)
def test_every_other_error_has_a_code_of_its_own_and_costs_at_most_200_tokens(
    kind: type[SessionDatasetsError],
) -> None:
    feedback = feedback_of(kind(LONG, "Do this, then that."), what="load_artifact call")
    assert feedback.code.isascii()
    assert feedback.code not in {"unexpected", *ProblemCode}
    assert feedback.next_step.startswith("Do this, then that.")
    assert size_of(feedback) <= FEEDBACK_BYTES_MAX


def test_no_two_errors_share_a_code() -> None:
    codes = [code_of(kind("x"), Family.FAILED) for kind in OURS]
    assert len(set(codes)) == len(codes) == 20


@pytest.mark.parametrize("kind", OURS)
def test_an_error_without_advice_still_has_a_next_step(kind: type[SessionDatasetsError]) -> None:
    assert feedback_of(kind("x")).next_step.endswith(".")


def test_an_error_that_an_application_derives_has_the_code_of_ours() -> None:
    class MineError(errors.LostAnswerError): ...

    feedback = feedback_of(MineError("x"))
    assert (feedback.code, feedback.error_type) == ("lost-answer", "MineError")


def test_a_lost_answer_does_not_claim_that_nothing_was_done() -> None:
    text = feedback_of(errors.LostAnswerError("The connection broke.", again=Again.SOON)).text()
    assert "part of it may have been done" in text
    assert "NOT executed" not in text
    assert "Retryable: yes" in text


@pytest.mark.parametrize("kind", OURS)
def test_what_came_up_on_the_way_is_not_told_as_not_executed(kind: type[SessionDatasetsError]) -> None:
    assert kind.begun is ("did NOT complete" in feedback_of(kind("x")).text())


def test_missing_credentials_are_nothing_that_the_model_mends() -> None:
    feedback = feedback_of(errors.ConfigurationError("No region."), what="query")
    assert feedback.family is Family.SETUP
    assert "Stop, and report" in feedback.next_step


def test_advice_for_a_person_is_marked_as_such() -> None:
    feedback = feedback_of(errors.ConfigurationError("No region.", "Set AWS_REGION."), what="query")
    assert feedback.next_step == "Set AWS_REGION. It is not caused by your query: do not repeat it, tell the user."


def test_the_correlation_id_of_the_call_is_told() -> None:
    error = problem(ProblemCode.INTERNAL)
    error.correlation_id = "cor-of-the-call"
    assert feedback_of(error).correlation_id == "cor-of-the-call"


def test_secrets_of_arguments_that_would_be_accepted_are_masked() -> None:
    error = problem(ProblemCode.INVALID_REQUEST, retry_with={"limit": 3, "password": "hunter2"})
    assert feedback_of(error).retry_with == {"limit": 3, "password": "***"}


def test_braces_in_an_advice_stay_braces() -> None:
    assert feedback_of(errors.TransferError("x", 'Send {"v": 1}.')).next_step == 'Send {"v": 1}.'


@pytest.mark.parametrize("code", ProblemCode)
def test_the_structure_of_a_problem_is_json(code: ProblemCode) -> None:
    structured = feedback_of(problem(code, retry_with={"limit": 5})).structured()
    assert json.loads(json.dumps(structured)) == structured
