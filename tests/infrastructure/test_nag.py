"""The AwsSolutions rules pass, and what is acknowledged is acknowledged with care."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from aws_cdk import CfnResource, Stack, Validations
from aws_cdk import aws_s3 as s3

from app import create_app
from session_datasets.domain.names import DEFAULT_STACK
from tests.infrastructure.synthesized import Synthesized, context

RULES_ACKNOWLEDGED = {
    # rule -> the kind of resource it is acknowledged on
    "AwsSolutions-IAM4": "AWS::IAM::Role",
    "AwsSolutions-IAM5": "AWS::IAM::Role",
    "AwsSolutions-S1": "AWS::S3::Bucket",
    "AwsSolutions-SMG4": "AWS::SecretsManager::Secret",
    "AwsSolutions-SQS3": "AWS::SQS::Queue",
    "@aws-cdk/aws-lambda:snapStartRequirePublish": "AWS::Lambda::Function",
}


def acknowledged(stack: Synthesized) -> Iterator[tuple[CfnResource | None, str, str]]:
    """(the one resource, or None where it is not one; rule; reason) of every acknowledgement in the app."""
    for construct in stack.app.node.find_all():
        for entry in construct.node.metadata:
            if entry.type == Validations.ACKNOWLEDGED_RULES_METADATA_KEY:
                child = construct.node.default_child
                resource = child if isinstance(child, CfnResource) else None
                for rule, reason in entry.data.items():
                    yield resource, rule.removeprefix("Annotation::"), reason


def test_no_check_finds_anything(everywhere: Synthesized) -> None:
    assert everywhere.validation_report()["pluginReports"] == []


def test_the_checks_find_a_bucket_without_protection(tmp_path: Path) -> None:
    app = create_app(context=context("local"), outdir=str(tmp_path))
    stack = app.node.find_child(DEFAULT_STACK)
    assert isinstance(stack, Stack)
    s3.Bucket(stack, "Careless")
    with pytest.raises(RuntimeError, match="AwsSolutions-S10"):
        app.synth()
    report = (tmp_path / "validation-report.json").read_text()
    assert f"{DEFAULT_STACK}/Careless/Resource" in report


def test_every_acknowledgement_is_on_one_resource_of_the_kind_the_rule_is_about(everywhere: Synthesized) -> None:
    kinds = {
        (rule.split("[")[0], getattr(resource, "cfn_resource_type", None))
        for resource, rule, _ in acknowledged(everywhere)
    }
    assert kinds <= set(RULES_ACKNOWLEDGED.items())


def test_every_acknowledgement_gives_its_reason(everywhere: Synthesized) -> None:
    reasons = [reason for _, _, reason in acknowledged(everywhere)]
    assert reasons
    assert [reason for reason in reasons if len(reason.split()) < 5] == []


def test_no_rule_is_acknowledged_that_finds_nothing(production: Synthesized) -> None:
    rules = {rule.split("[")[0] for _, rule, _ in acknowledged(production)}
    assert rules == RULES_ACKNOWLEDGED.keys()
