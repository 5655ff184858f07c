"""What outlives a stack, what a failed first deploy takes back, and what is never in the way of the next one."""

from __future__ import annotations

import pytest

from tests.infrastructure.synthesized import InEnvironment, Json, Synthesized

KEPT = ("AWS::S3::Bucket", "AWS::DynamoDB::Table", "AWS::SecretsManager::Secret", "AWS::Logs::LogGroup")

each_kept = pytest.mark.parametrize("kind", KEPT)


def policies(resources: dict[str, Json]) -> set[tuple[str, str]]:
    """(when it leaves the stack or the stack goes, when another replaces it)."""
    return {(each["DeletionPolicy"], each["UpdateReplacePolicy"]) for each in resources.values()}


@each_kept
def test_production_keeps_it_but_for_a_first_deploy_that_failed(production: Synthesized, kind: str) -> None:
    assert policies(production.resources(kind)) == {("RetainExceptOnCreate", "Retain")}


@each_kept
@pytest.mark.parametrize("environment", ["local", "sandbox"])
def test_nothing_outlives_a_stack_for_trying_things(synthesized: InEnvironment, environment: str, kind: str) -> None:
    assert policies(synthesized(environment).resources(kind)) == {("Delete", "Delete")}


@pytest.mark.parametrize("environment", ["sandbox", "production"])
def test_a_superseded_version_is_kept_but_for_a_deploy_that_failed(
    synthesized: InEnvironment, environment: str
) -> None:
    versions = synthesized(environment).resources("AWS::Lambda::Version")
    assert policies(versions) == {("RetainExceptOnCreate", "Retain")}


def test_a_laptop_keeps_no_superseded_version(local: Synthesized) -> None:
    assert policies(local.resources("AWS::Lambda::Version")) == {("Delete", "Delete")}


def test_nothing_else_is_kept(everywhere: Synthesized) -> None:
    kept = {
        each["Type"]
        for each in everywhere.template["Resources"].values()
        if each.get("DeletionPolicy", "Delete") != "Delete"
    }
    assert kept <= {*KEPT, "AWS::Lambda::Version"}


def test_of_what_is_kept_the_table_alone_has_a_name_that_a_next_stack_would_want(everywhere: Synthesized) -> None:
    named = {
        (kind, key)
        for kind in KEPT
        for each in everywhere.resources(kind).values()
        for key in ("BucketName", "TableName", "Name", "LogGroupName")
        if key in each["Properties"]
    }
    assert named == {("AWS::DynamoDB::Table", "TableName")}
