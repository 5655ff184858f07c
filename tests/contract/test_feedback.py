"""What a model is told of the service's own refusals, as they are really answered."""

from __future__ import annotations

from pathlib import Path

import pytest

from session_datasets.client.errors import error_of
from session_datasets.client.workspace import Workspace
from session_datasets.domain.correlation import correlated
from session_datasets.domain.errors import ProblemCode
from session_datasets.feedback import Family, Feedback, as_feedback, feedback_of
from session_datasets.feedback.fitting import FEEDBACK_BYTES_MAX, size_of
from session_datasets.wire.problem import ProblemModel
from tests.contract.problems import SCENARIOS
from tests.support.moto_cloud import MotoCloud

STRANGE_ID = "art_01jg00000000000000000000zz"


def refused(cloud: MotoCloud, code: ProblemCode) -> Feedback:
    answer = SCENARIOS[code](cloud)
    return feedback_of(error_of(ProblemModel.model_validate(answer["problem"])), what="register_artifact call")


@pytest.mark.parametrize("code", ProblemCode)
def test_a_real_refusal_costs_a_model_at_most_200_tokens_and_loses_nothing(cloud: MotoCloud, code: ProblemCode) -> None:
    problem = SCENARIOS[code](cloud)["problem"]
    feedback = feedback_of(error_of(ProblemModel.model_validate(problem)), what="register_artifact call")
    assert size_of(feedback) <= FEEDBACK_BYTES_MAX
    assert feedback.code == code
    assert feedback.detail == problem["detail"]
    assert feedback.next_step.startswith(problem["advice"])
    assert list(feedback.did_you_mean) == problem.get("did_you_mean", [])
    assert feedback.retry_with == problem.get("retry_with", {})
    assert feedback.retryable is problem["retryable"]


def reading(workspace: Workspace) -> object:
    @as_feedback(what="read_rows call", into=lambda feedback: feedback)
    def read_rows(artifact: str, limit: int = 10) -> object:
        return workspace.read_rows(artifact, limit=limit)

    return read_rows


def read(workspace: Workspace, artifact: str, **more: int) -> Feedback:
    answered = reading(workspace)(artifact, **more)  # type: ignore[operator]
    assert isinstance(answered, Feedback)
    return answered


@pytest.fixture
def theirs(cloud: MotoCloud, tmp_path: Path) -> str:
    """The id of an artifact of another owner."""
    workspace = cloud.open(owner="other", run_id="run-1", directory=tmp_path)
    (tmp_path / "a.csv").write_text("secret_column\n1\n")
    return workspace.register_artifact(tmp_path / "a.csv", name="theirs").artifact_id


def test_what_is_not_allowed_reaches_neither_s3_nor_dynamodb(cloud: MotoCloud, tmp_path: Path) -> None:
    workspace = cloud.open(verbs=["list_artifacts"], directory=tmp_path)
    (tmp_path / "a.csv").write_text("a\n1\n")

    @as_feedback(into=lambda feedback: feedback)
    def register(name: str) -> object:
        return workspace.register_artifact(tmp_path / name)

    with cloud.failing_when_asked():
        told = [read(workspace, STRANGE_ID), register("a.csv")]
    for feedback in told:
        assert (feedback.code, feedback.family) == ("verb-not-allowed", Family.REJECTED)
        assert "was NOT executed" in feedback.text()


def test_what_is_not_valid_reaches_neither_s3_nor_dynamodb(cloud: MotoCloud) -> None:
    workspace = cloud.open()
    with cloud.failing_when_asked():
        feedback = read(workspace, STRANGE_ID, limit=10**9)
    assert (feedback.code, feedback.family) == ("invalid-request", Family.REJECTED)


def test_an_expired_or_foreign_token_reaches_neither_s3_nor_dynamodb(cloud: MotoCloud) -> None:
    stranger = Workspace("made.up.token", cloud.transport())
    with cloud.failing_when_asked():
        feedback = read(stranger, STRANGE_ID)
    assert (feedback.code, feedback.family) == ("token-invalid", Family.SETUP)
    assert "made.up.token" not in feedback.text()


def test_what_is_not_there_and_what_is_somebody_elses_are_told_in_the_same_words(cloud: MotoCloud, theirs: str) -> None:
    workspace = cloud.open(run_id="run-1")
    with correlated("cor-same"):
        told = [read(workspace, artifact) for artifact in (STRANGE_ID, theirs)]
    assert [feedback.code for feedback in told] == ["not-found", "not-found"]
    assert len({feedback.text().replace(feedback.submitted, "") for feedback in told}) == 1
    assert "secret_column" not in told[1].text()


def test_inside_a_tenant_near_names_are_offered(cloud: MotoCloud, tmp_path: Path) -> None:
    feedback = refused(cloud, ProblemCode.FILE_NOT_FOUND)
    assert len(feedback.did_you_mean) == 1
    assert feedback.did_you_mean[0].endswith("datasets/sales.csv")
    assert "Did you mean: 'acme/conversations/talk-1/datasets/sales.csv'?" in feedback.text()


@pytest.mark.parametrize("code", ProblemCode)
def test_no_refusal_names_a_bucket_a_table_or_an_account(cloud: MotoCloud, code: ProblemCode) -> None:
    text = refused(cloud, code).text()
    assert [name for name in (cloud.bucket, cloud.table, "123456789012", "arn:aws") if name in text] == []


def test_the_operator_finds_a_failed_call_by_the_id_that_the_model_was_told(cloud: MotoCloud) -> None:
    with correlated("cor-of-this-turn"):
        feedback = read(cloud.open(), STRANGE_ID)
    assert feedback.correlation_id == "cor-of-this-turn"
