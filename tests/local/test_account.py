"""What an operator's commands do to an account: one that an emulator plays."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import boto3
import pytest

from infra.local import account
from infra.local.__main__ import main
from infra.local.account import AccountError, Version
from infra.local.ministack import MiniStack
from infra.local.surroundings import aws_client
from session_datasets.domain.names import DEFAULT_STACK, Verb, function_name

TIMEOUT_SECONDS = 20


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with MiniStack(tmp_path_factory.mktemp("account")) as emulator:
        yield emulator.endpoint


@pytest.fixture(autouse=True)
def credentials(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in aws_client(endpoint).items():
        monkeypatch.setenv(name, value)
    # A shell of an account names no endpoint for all of AWS; one that does is refused.
    monkeypatch.delenv("AWS_ENDPOINT_URL")
    for service in ("CLOUDFORMATION", "LAMBDA", "SQS", "DYNAMODB_STREAMS"):
        monkeypatch.setenv(f"AWS_ENDPOINT_URL_{service}", endpoint)


@pytest.fixture(scope="module")
def standing(endpoint: str) -> None:
    """Stacks named after the environment that they tell, and one that tells none."""
    with pytest.MonkeyPatch.context() as environment:
        for name, value in aws_client(endpoint).items():
            environment.setenv(name, value)
        for stack in ("production", "sandbox", "silent"):
            outputs = {} if stack == "silent" else {"Outputs": {"Environment": {"Value": stack}}}
            stand(stack, outputs)


def stand(stack: str, outputs: dict[str, Any]) -> None:
    formation = boto3.session.Session().client("cloudformation")
    resources = {"Topic": {"Type": "AWS::SNS::Topic", "Properties": {"TopicName": stack}}}
    formation.create_stack(StackName=stack, TemplateBody=json.dumps({"Resources": resources, **outputs}))
    formation.get_waiter("stack_create_complete").wait(StackName=stack, WaiterConfig={"Delay": 1})


@pytest.mark.usefixtures("standing")
@pytest.mark.parametrize(("stack", "asked"), [("production", "sandbox"), ("sandbox", "production")])
def test_a_stack_is_not_deployed_as_another_environment(
    stack: str, asked: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", "--stack", stack, "--env", asked]) == 1
    told = capsys.readouterr().err
    assert f"The stack {stack} stands as {stack}, and is not deployed as {asked}" in told
    assert f"ENV={stack}" in told


@pytest.mark.usefixtures("standing")
@pytest.mark.parametrize(
    ("stack", "asked"),
    [("production", "production"), ("sandbox", "sandbox"), ("silent", "production"), ("unheard-of", "sandbox")],
    ids=["the same", "the same sandbox", "one that tells nothing", "one that does not stand"],
)
def test_a_deploy_goes_ahead_on(stack: str, asked: str) -> None:
    assert main(["compare", "--stack", stack, "--env", asked]) == 0


@pytest.fixture
def twice_deployed() -> Iterator[Any]:
    """A client of Lambda, with every function of the stack published twice and its alias at version 2."""
    session = boto3.session.Session()
    role = "arn:aws:iam::000000000000:role/any"
    functions = session.client("lambda")
    for verb in Verb:
        name = function_name(DEFAULT_STACK, verb)
        functions.create_function(
            FunctionName=name, Runtime="python3.13", Role=role, Handler="index.handler", Timeout=TIMEOUT_SECONDS,
            Code={"ZipFile": zipped("first")},
        )  # fmt: skip
        functions.publish_version(FunctionName=name)
        functions.update_function_code(FunctionName=name, ZipFile=zipped("second"))
        functions.publish_version(FunctionName=name)
        functions.create_alias(FunctionName=name, Name="live", FunctionVersion="2")
    yield functions
    for verb in Verb:
        functions.delete_function(FunctionName=function_name(DEFAULT_STACK, verb))


def zipped(text: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("index.py", f"def handler(event, context):\n    return {text!r}\n")
    return content.getvalue()


def published(functions: Any, verb: Verb) -> list[str]:
    listed = functions.list_versions_by_function(FunctionName=function_name(DEFAULT_STACK, verb))
    return [each["Version"] for each in listed["Versions"]]


@pytest.mark.usefixtures("twice_deployed")
def test_the_version_before_the_live_one_is_superseded() -> None:
    later = datetime.now(UTC) + timedelta(hours=1)
    wanted = [Version(function_name(DEFAULT_STACK, verb), "1") for verb in Verb]
    assert account.superseded(DEFAULT_STACK, later) == wanted


def test_a_version_that_a_call_may_still_be_in_is_kept(twice_deployed: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prune"]) == 0
    assert "Nothing to delete" in capsys.readouterr().out
    assert published(twice_deployed, Verb.READ_ROWS) == ["$LATEST", "1", "2"]


def test_a_version_is_deleted_and_the_live_one_answers(twice_deployed: Any) -> None:
    name = function_name(DEFAULT_STACK, Verb.READ_ROWS)
    account.delete(Version(name, "1"))
    assert published(twice_deployed, Verb.READ_ROWS) == ["$LATEST", "2"]
    answer = twice_deployed.invoke(FunctionName=name, Qualifier="live", Payload=b"{}")
    assert json.loads(answer["Payload"].read()) == "second"


def test_a_stack_that_does_not_stand_has_nothing_to_prune() -> None:
    with pytest.raises(AccountError, match=r"Could not list the versions of unheard-of: .*unheard-of-open-session"):
        account.superseded("unheard-of", datetime.now(UTC))


@pytest.mark.usefixtures("standing")
@pytest.mark.parametrize("command", [["redrive", "audits"], ["redrive", "events"], ["audit-files"]])
def test_nothing_is_done_to_a_stack_that_names_no_queue(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command, "--stack", "silent"]) == 1
    assert "the stack has no output" in capsys.readouterr().err
