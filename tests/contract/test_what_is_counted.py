"""What the functions count: by verb and stack and by nothing else, refusals by their family."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from contextlib import redirect_stdout
from types import SimpleNamespace
from typing import Any

import pytest

from session_datasets.domain import metrics
from session_datasets.domain.errors import ProblemCode
from session_datasets.domain.names import ENV_STACK, METRICS_NAMESPACE, Verb
from tests.support.moto_cloud import STACK, MotoCloud, door
from tests.support.sessions import Opened, Session

UNKNOWN = "art_01jg00000000000000000000zz"
CONTEXT = SimpleNamespace(aws_request_id="request-1", function_name="f", get_remaining_time_in_millis=lambda: 30_000)

Counted = Callable[..., dict[str, Any]]


@pytest.fixture
def counted(cloud: MotoCloud, monkeypatch: pytest.MonkeyPatch) -> Counted:
    """What one call of a function tells CloudWatch, in its embedded format."""

    def call(verb: Verb, *, cold: bool = False, wire: Callable[[], Any] | None = None, **body: Any) -> dict[str, Any]:
        function = door(verb)
        # As a process that was never called.
        monkeypatch.setattr(function._metrics.provider, "dimension_set", {"service": verb.value})
        monkeypatch.setattr(function._metrics.provider, "default_dimensions", {})
        monkeypatch.setattr(function, "_wire", wire or (lambda: cloud.wired))
        monkeypatch.setattr(function, "_is_cold", cold)
        function._metrics.clear_metrics()
        with redirect_stdout(io.StringIO()) as out:
            function(body, CONTEXT)
        told = [json.loads(line) for line in out.getvalue().splitlines() if '"_aws"' in line]
        (one,) = told
        return dict(one)

    return call


@pytest.fixture
def node(opened: Opened) -> Session:
    return opened(run_id="run-1")


def test_a_page_counts_its_rows_bytes_and_requests(node: Session, counted: Counted) -> None:
    reference = node.register()["reference"]
    told = counted(Verb.READ_ROWS, token=node.token, reference=reference)
    assert (told["calls"], told["rows"]) == ([1], [2])
    assert told["bytes_read"][0] > 0
    assert told["s3_requests"] == [1]
    assert "problems" not in told


def test_the_dimensions_are_verb_and_stack_and_no_other(node: Session, counted: Counted) -> None:
    told = counted(Verb.LIST_ARTIFACTS, token=node.token, cold=True)
    (directive,) = told["_aws"]["CloudWatchMetrics"]
    assert directive["Namespace"] == METRICS_NAMESPACE
    assert [sorted(each) for each in directive["Dimensions"]] == [["service", "stack"]]
    assert (told["service"], told["stack"]) == ("list_artifacts", STACK)


def test_nothing_that_is_counted_names_an_owner_or_a_session(node: Session, counted: Counted) -> None:
    told = json.dumps(counted(Verb.LIST_ARTIFACTS, token=node.token, correlation_id="trace-1"))
    assert "acme" not in told
    assert node.session_id not in told
    assert "trace-1" not in told


@pytest.mark.parametrize(("cold", "starts"), [(True, [1]), (False, None)])
def test_the_first_call_of_a_process_counts_a_cold_start(
    node: Session, counted: Counted, cold: bool, starts: list[int] | None
) -> None:
    assert counted(Verb.LIST_ARTIFACTS, token=node.token, cold=cold).get("cold_starts") == starts


@pytest.mark.parametrize("whose", ["another owner's", "nobody's"])
def test_an_id_out_of_reach_counts_the_same_whoever_it_belongs_to(
    opened: Opened, node: Session, counted: Counted, whose: str
) -> None:
    theirs = opened(owner="other", run_id="run-1").register()["artifact_id"]
    reference = theirs if whose == "another owner's" else UNKNOWN
    told = counted(Verb.DESCRIBE_ARTIFACT, token=node.token, reference=reference)
    assert {name for name in told if name in (metrics.PROBLEMS, *metrics.REFUSALS)} == {"problems", "not_found"}


def test_a_token_that_is_none_counts_as_turned_away(node: Session, counted: Counted) -> None:
    told = counted(Verb.LIST_ARTIFACTS, token="forged")
    assert (told["problems"], told["turned_away"]) == ([1], [1])


def test_a_file_that_is_gone_counts_as_missing(cloud: MotoCloud, node: Session, counted: Counted) -> None:
    registered = node.register()
    key = f"{node.workspace}datasets/sales.csv"
    for version in cloud.s3.list_object_versions(Bucket=cloud.bucket, Prefix=key)["Versions"]:
        cloud.s3.delete_object(Bucket=cloud.bucket, Key=key, VersionId=version["VersionId"])
    assert counted(Verb.LOAD_ARTIFACT, token=node.token, reference=registered["reference"])["missing_files"] == [1]


def test_a_function_that_is_told_too_little_counts_its_failures_for_its_stack(
    counted: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> None:
        raise RuntimeError("the variable is not set")

    monkeypatch.setenv(ENV_STACK, STACK)
    told = counted(Verb.LIST_ARTIFACTS, wire=refuse)
    assert (told["failures"], told["stack"]) == ([1], STACK)
    (directive,) = told["_aws"]["CloudWatchMetrics"]
    assert [sorted(each) for each in directive["Dimensions"]] == [["service", "stack"]]


@pytest.mark.parametrize("code", ProblemCode)
def test_every_refusal_counts_in_one_known_family(code: ProblemCode) -> None:
    assert metrics.family_of(code) in metrics.REFUSALS
