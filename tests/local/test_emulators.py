"""What the project relies on in both emulators, and what had to be mended in the releases it pins."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from infra.local.emulator import Emulator
from tests.support.cloud import EMULATORS
from tests.support.emulator_clients import Client, clients_of

HANDLER = """
import os, sys, time

VERSION = {version}

def handler(event, context):
    if event.get("exit"):
        os._exit(3)
    if "sleep" in event:
        time.sleep(event["sleep"])
    if "meet" in event:
        open(os.path.join(event["meet"], str(os.getpid())), "w").close()
        while len(os.listdir(event["meet"])) < event["of"]:
            time.sleep(0.05)
    if "size" in event:
        return "x" * event["size"]
    if "raise" in event:
        raise ValueError(event["raise"])
    import pyarrow
    return {{"version": VERSION, "environment": dict(os.environ), "pid": os.getpid()}}
"""


@pytest.fixture(scope="module", params=EMULATORS)
def emulator(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    with pytest.MonkeyPatch.context() as host:
        host.setenv("OF_THE_HOST", "not for functions")
        with EMULATORS[request.param](tmp_path_factory.mktemp(request.param)) as started:
            yield started


@pytest.fixture(scope="module")
def client(emulator: Emulator) -> Client:
    return clients_of(emulator)


@pytest.fixture(scope="module")
def function(client: Client) -> str:
    role = client("iam").create_role(RoleName="runs", AssumeRolePolicyDocument="{}")["Role"]["Arn"]
    functions = client("lambda")
    functions.create_function(
        FunctionName="tried",
        Runtime="python3.13",
        Role=role,
        Handler="index.handler",
        Code={"ZipFile": _zip(HANDLER.format(version=1))},
        Timeout=15,
        Environment={"Variables": {"OF_THE_FUNCTION": "yes"}},
    )
    functions.get_waiter("function_active_v2").wait(FunctionName="tried")
    return "tried"


@pytest.fixture
def invoke(client: Client, function: str) -> Callable[[dict[str, Any]], tuple[str | None, Any]]:
    functions = client("lambda")

    def call(event: dict[str, Any]) -> tuple[str | None, Any]:
        answer = functions.invoke(FunctionName=function, Payload=json.dumps(event).encode())
        return answer.get("FunctionError"), json.loads(answer["Payload"].read())

    return call


def _zip(source: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("index.py", source)
    return content.getvalue()


def test_a_function_has_its_own_variables_and_the_emulators_address(invoke: Any, emulator: Emulator) -> None:
    _, answer = invoke({})
    assert answer["environment"]["OF_THE_FUNCTION"] == "yes"
    assert answer["environment"]["AWS_ENDPOINT_URL"] == emulator.endpoint


def test_a_function_sees_nothing_of_the_host(invoke: Any, emulator: Emulator) -> None:
    _, answer = invoke({})
    assert "OF_THE_HOST" not in answer["environment"]
    assert Path(answer["environment"]["HOME"]).is_relative_to(emulator.state)


def test_a_warm_function_keeps_its_process(invoke: Any) -> None:
    assert invoke({})[1]["pid"] == invoke({})[1]["pid"]


def test_invocations_at_the_same_time_run_in_processes_of_their_own(invoke: Any, tmp_path: Path) -> None:
    # Each ends when it has met the others, or by its timeout.
    with ThreadPoolExecutor(3) as callers:
        answers = list(callers.map(invoke, [{"meet": str(tmp_path), "of": 3}] * 3))
    assert [failed for failed, _ in answers] == [None] * 3
    assert len({answer["pid"] for _, answer in answers}) == 3


def test_a_handler_that_raises_answers_with_its_error(invoke: Any) -> None:
    failed, answer = invoke({"raise": "boom"})
    assert failed == "Unhandled"
    assert answer["errorMessage"] == "boom"


def test_a_function_that_exits_fails_and_the_next_call_gets_a_new_process(invoke: Any) -> None:
    before = invoke({})[1]["pid"]
    assert invoke({"exit": True})[0] == "Unhandled"
    failed, answer = invoke({})
    assert failed is None
    assert answer["pid"] != before


def test_a_function_that_takes_too_long_is_ended(invoke: Any) -> None:
    failed, answer = invoke({"sleep": 30})
    assert failed == "Unhandled"
    assert "Task timed out after 15.00 seconds" in answer["errorMessage"]
    assert invoke({})[0] is None


@pytest.mark.parametrize("emulator", ["localstack"], indirect=True)
@pytest.mark.parametrize(("size", "error"), [(6_291_554, None), (6_291_555, "Unhandled")])
def test_an_answer_above_the_limit_of_lambda_is_an_error(invoke: Any, size: int, error: str | None) -> None:
    # Two more bytes are the quotes of the JSON string; the limit is 6,291,556.
    assert invoke({"size": size})[0] == error


@pytest.fixture(scope="module")
def versions(client: Client) -> tuple[str, str]:
    s3 = client("s3")
    s3.create_bucket(Bucket="versioned")
    s3.put_bucket_versioning(Bucket="versioned", VersioningConfiguration={"Status": "Enabled"})
    old = s3.put_object(Bucket="versioned", Key="digits", Body=b"0123456789")["VersionId"]
    new = s3.put_object(Bucket="versioned", Key="digits", Body=b"abcdefghij")["VersionId"]
    return old, new


@pytest.mark.parametrize(
    ("window", "bytes_", "content_range"),
    [("0-0", b"0", "bytes 0-0/10"), ("2-4", b"234", "bytes 2-4/10"), ("8-", b"89", "bytes 8-9/10"),
     ("8-99", b"89", "bytes 8-9/10"), ("-3", b"789", "bytes 7-9/10")],
)  # fmt: skip
def test_a_range_of_an_old_version_is_only_that_range(
    client: Client, versions: tuple[str, str], window: str, bytes_: bytes, content_range: str
) -> None:
    answer = client("s3").get_object(Bucket="versioned", Key="digits", VersionId=versions[0], Range=f"bytes={window}")
    assert answer["Body"].read() == bytes_
    assert answer["ContentRange"] == content_range
    assert answer["ContentLength"] == len(bytes_)
    assert answer["VersionId"] == versions[0]


def test_a_range_beyond_the_end_of_a_version_is_refused(client: Client, versions: tuple[str, str]) -> None:
    with pytest.raises(ClientError) as refused:
        client("s3").get_object(Bucket="versioned", Key="digits", VersionId=versions[1], Range="bytes=10-")
    assert refused.value.response["Error"]["Code"] == "InvalidRange"


def test_a_version_without_a_range_is_whole(client: Client, versions: tuple[str, str]) -> None:
    answer = client("s3").get_object(Bucket="versioned", Key="digits", VersionId=versions[0])
    assert answer["Body"].read() == b"0123456789"


def test_a_deployed_alias_follows_the_new_version(client: Client, function: str) -> None:
    formation, functions = client("cloudformation"), client("lambda")
    first = functions.publish_version(FunctionName=function)["Version"]
    formation.create_stack(StackName="alias", TemplateBody=_alias_template(function, first))
    formation.get_waiter("stack_create_complete").wait(StackName="alias", WaiterConfig={"Delay": 1})
    functions.update_function_code(FunctionName=function, ZipFile=_zip(HANDLER.format(version=2)))
    functions.get_waiter("function_updated_v2").wait(FunctionName=function)
    second = functions.publish_version(FunctionName=function)["Version"]
    formation.update_stack(StackName="alias", TemplateBody=_alias_template(function, second))
    formation.get_waiter("stack_update_complete").wait(StackName="alias", WaiterConfig={"Delay": 1})
    answer = functions.invoke(FunctionName=function, Qualifier="live", Payload=b"{}")
    assert json.loads(answer["Payload"].read())["version"] == 2


def _alias_template(function: str, version: str) -> str:
    properties = {"FunctionName": function, "FunctionVersion": version, "Name": "live"}
    return json.dumps({"Resources": {"Live": {"Type": "AWS::Lambda::Alias", "Properties": properties}}})


def test_a_secret_is_generated_with_the_length_the_template_asks_for(client: Client) -> None:
    generate = {"SecretStringTemplate": '{"kid": "k1"}', "GenerateStringKey": "key", "PasswordLength": 43}
    secret = {"Type": "AWS::SecretsManager::Secret", "Properties": {"Name": "made", "GenerateSecretString": generate}}
    formation = client("cloudformation")
    formation.create_stack(StackName="secret", TemplateBody=json.dumps({"Resources": {"Secret": secret}}))
    formation.get_waiter("stack_create_complete").wait(StackName="secret", WaiterConfig={"Delay": 1})
    value = json.loads(client("secretsmanager").get_secret_value(SecretId="made")["SecretString"])
    assert value["kid"] == "k1"
    assert len(value["key"]) == 43


def test_a_secret_that_a_template_refers_to_is_its_arn_and_goes_with_its_stack(client: Client) -> None:
    secrets = client("secretsmanager")
    told = deployed_secret(client, "create", "first")
    assert secrets.describe_secret(SecretId=told)["ARN"] == told
    formation = client("cloudformation")
    formation.delete_stack(StackName="referred")
    formation.get_waiter("stack_delete_complete").wait(StackName="referred", WaiterConfig={"Delay": 1})
    assert told not in [each["ARN"] for each in secrets.list_secrets()["SecretList"]]


# LocalStack has no update of a secret.
@pytest.mark.parametrize("emulator", ["ministack"], indirect=True)
def test_a_secret_whose_template_changes_is_the_same_secret_changed(client: Client, emulator: Emulator) -> None:
    before, after = deployed_secret(client, "create", "first"), deployed_secret(client, "update", "second")
    assert before == after
    assert client("secretsmanager").describe_secret(SecretId=after)["Description"] == "second"


def deployed_secret(client: Client, action: str, description: str) -> str:
    """What a template's reference to a secret is, once the stack ``referred`` is created or updated."""
    secret = {"Type": "AWS::SecretsManager::Secret", "Properties": {"Description": description}}
    template = {"Resources": {"Secret": secret}, "Outputs": {"Told": {"Value": {"Ref": "Secret"}}}}
    formation = client("cloudformation")
    getattr(formation, f"{action}_stack")(StackName="referred", TemplateBody=json.dumps(template))
    formation.get_waiter(f"stack_{action}_complete").wait(StackName="referred", WaiterConfig={"Delay": 1})
    return str(formation.describe_stacks(StackName="referred")["Stacks"][0]["Outputs"][0]["OutputValue"])


@pytest.mark.parametrize("emulator", ["localstack"], indirect=True)
def test_objects_lie_in_the_emulators_own_directory(client: Client, emulator: Emulator) -> None:
    # MiniStack holds them in its memory, unless it is told to keep its state.
    client("s3").create_bucket(Bucket="own-directory")
    client("s3").put_object(Bucket="own-directory", Key="large", Body=bytes(2_000_000))
    directories = [place.name for place in (emulator.state / "tmp").rglob("*") if place.is_dir()]
    assert "own-directory" in directories
