"""Every refusal becomes one typed error that says what to do next."""

from __future__ import annotations

import pytest

from session_datasets.client import errors
from session_datasets.client.errors import ProblemError, error_of
from session_datasets.domain.errors import PROBLEM_KINDS, Problem, ProblemCode
from session_datasets.wire.problem import ProblemModel


def problem(code: ProblemCode, **more: object) -> ProblemModel:
    told = Problem(code, "Nothing was done.", PROBLEM_KINDS[code].advice, **more)  # type: ignore[arg-type]
    return ProblemModel.of(told, "request-1")


@pytest.mark.parametrize("code", ProblemCode)
def test_every_code_has_a_family_of_its_own(code: ProblemCode) -> None:
    error = error_of(problem(code))
    assert type(error) is not ProblemError
    assert (error.code, error.problem.request_id) == (code.value, "request-1")


FAMILIES = {
    ProblemCode.UNKNOWN_COLUMN: errors.InvalidRequestError,
    ProblemCode.TOKEN_EXPIRED: errors.AuthenticationError,
    ProblemCode.VERB_NOT_ALLOWED: errors.NotAllowedError,
    ProblemCode.NOT_FOUND: errors.NotFoundError,
    ProblemCode.CHECKSUM_MISMATCH: errors.ConflictError,
    ProblemCode.FILE_MISSING: errors.FileGoneError,
    ProblemCode.EMPTY_FILE: errors.UnreadableFileError,
    ProblemCode.NOT_A_DATASET: errors.NotADatasetError,
    ProblemCode.TOO_LARGE: errors.TooLargeError,
    ProblemCode.UNAVAILABLE: errors.UnavailableError,
}


@pytest.mark.parametrize(("code", "family"), FAMILIES.items())
def test_the_family_says_what_kind_of_refusal_it_is(code: ProblemCode, family: type[ProblemError]) -> None:
    assert type(error_of(problem(code))) is family


@pytest.mark.parametrize(
    ("status", "family"), [(404, errors.NotFoundError), (429, errors.UnavailableError), (418, ProblemError)]
)
def test_a_code_newer_than_the_client_is_judged_by_its_status(status: int, family: type[ProblemError]) -> None:
    newer = problem(ProblemCode.INTERNAL).model_copy(update={"code": "from-the-future", "status": status})
    assert type(error_of(newer)) is family


def test_the_text_holds_detail_advice_and_near_names() -> None:
    error = error_of(problem(ProblemCode.UNKNOWN_COLUMN, did_you_mean=("price", "prize")))
    advice = PROBLEM_KINDS[ProblemCode.UNKNOWN_COLUMN].advice
    assert str(error) == f"Nothing was done. {advice} Did you mean 'price', 'prize'?"


def test_no_error_tells_a_secret_that_a_library_put_into_its_words() -> None:
    error = errors.ConfigurationError("read_rows was not called: proxy http://ana:hunter2@proxy:3128 refused")
    assert "hunter2" not in str(error) + error.detail + repr(error)
    assert "http://***@proxy:3128" in error.detail


def test_the_tree_at_the_top_of_the_file_names_every_error() -> None:
    drawn = errors.__doc__ or ""
    defined = [name for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, Exception)]
    assert len(defined) > 20
    assert [name for name in defined if name not in drawn] == []
