"""The stack as a whole: what may never move, what it tells, and that it has neighbours."""

from __future__ import annotations

from pathlib import Path

import pytest
from aws_cdk import App

from infra.environments import Local, environment_named
from infra.grants import NARROWED_VERBS
from infra.session_datasets_stack import SessionDatasetsStack, pascal_case
from tests.infrastructure.synthesized import InEnvironment, Json, Synthesized, context

NAMES = ("TableName", "BucketName", "FunctionName", "LogGroupName", "RoleName", "ManagedPolicyName", "Name")

# CloudFormation replaces a resource whose logical id changes: with these, all data of all stacks would go.
FROZEN = {
    "AWS::S3::Bucket": "Workspaces72022D37",
    "AWS::DynamoDB::Table": "Records091F6ECA",
    "AWS::SecretsManager::Secret": "SigningKeyEEFC2790",
}


@pytest.mark.parametrize(("kind", "logical_id"), FROZEN.items())
def test_the_logical_id_is_frozen(everywhere: Synthesized, kind: str, logical_id: str) -> None:
    assert list(everywhere.resources(kind)) == [logical_id]


@pytest.mark.parametrize(("environment", "protected"), [("local", False), ("sandbox", False), ("production", True)])
def test_only_the_stack_of_production_refuses_to_be_deleted(
    synthesized: InEnvironment, environment: str, protected: bool
) -> None:
    stack = synthesized(environment)
    (artifact,) = (each for each in stack.app.synth().stacks if each.stack_name == "session-datasets")
    assert bool(artifact.termination_protection) is protected


def test_it_tells_its_stores_its_functions_and_its_policies(everywhere: Synthesized) -> None:
    # Beside the topic of the alarms, where there is one.
    assert everywhere.template["Outputs"].keys() - {"AlarmTopicArn"} == {
        "Environment",
        "BucketName",
        "TableName",
        "SigningKeyArn",
        "ProfileQueueUrl",
        "DeadLettersUrl",
        "AuditQueueUrl",
        "AuditDeadLettersUrl",
        "EventBusName",
        "EventDeadLettersUrl",
        "RecordsStreamArn",
        "NodePolicyArn",
        "OrchestratorPolicyArn",
        "OpenSessionName",
        "EndConversationName",
        "EndRunName",
        "PrepareUploadName",
        "RegisterArtifactName",
        "ListArtifactsName",
        "DescribeArtifactName",
        "LoadArtifactName",
        "ReadRowsName",
        "ReadColumnsName",
        "ProfileArtifactName",
        "PublishEventsName",
        "AuditRecordsName",
        *(f"{pascal_case(verb)}CallerRoleArn" for verb in NARROWED_VERBS),
    }


def test_it_tells_which_environment_it_is(everywhere: Synthesized) -> None:
    assert everywhere.template["Outputs"]["Environment"]["Value"] == everywhere.environment


def test_no_resource_is_made_by_a_function_of_the_library(everywhere: Synthesized) -> None:
    kinds = {each["Type"] for each in everywhere.template["Resources"].values()}
    assert [kind for kind in kinds if kind.startswith("Custom::") or "CustomResource" in kind] == []


def test_two_stacks_in_one_app_share_no_name(tmp_path: Path) -> None:
    app = App(context=context("local"), outdir=str(tmp_path))
    for name in ("first", "second"):
        SessionDatasetsStack(app, name, environment=Local())
    first, second = (each.template for each in app.synth().stacks)
    assert {kind for kind, _ in physical_names(first)} == {
        "AWS::DynamoDB::Table",
        "AWS::Lambda::Function",
        "AWS::Lambda::Alias",
        "AWS::Events::EventBus",
    }
    # An alias lives inside its function.
    assert physical_names(first) & physical_names(second) == {("AWS::Lambda::Alias", "live")}


def test_an_unknown_environment_is_refused_with_the_ones_there_are() -> None:
    with pytest.raises(ValueError, match="no environment 'staging': choose one of local, sandbox, production"):
        environment_named("staging")


def physical_names(template: Json) -> set[tuple[str, str]]:
    """(type, name) of everything that the template names itself."""
    return {
        (each["Type"], each["Properties"][key])
        for each in template["Resources"].values()
        for key in NAMES
        if isinstance(each["Properties"].get(key), str)
    }
