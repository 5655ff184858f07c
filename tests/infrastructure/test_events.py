"""The bus and what feeds it, and how the audit hears of the bucket's objects."""

from __future__ import annotations

import json

import pytest

from session_datasets.domain import names
from session_datasets.domain.audit import Sweep
from session_datasets.domain.names import Verb
from session_datasets.storage.audit_queue import wanted
from tests.infrastructure.synthesized import (
    InEnvironment,
    Json,
    Synthesized,
    as_list,
    audit_queue,
    dead_letters_of,
    mapping_of,
)


def rules(stack: Synthesized) -> dict[str, Json]:
    """By what they listen to: the detail-type, or ``schedule``."""
    found = [each["Properties"] for each in stack.resources("AWS::Events::Rule").values()]
    return {each["EventPattern"]["detail-type"][0] if "EventPattern" in each else "schedule": each for each in found}


def test_the_bus_has_the_name_of_the_stack(everywhere: Synthesized) -> None:
    assert everywhere.only("AWS::Events::EventBus")["Properties"]["Name"] == "session-datasets"


def test_every_write_of_a_record_is_in_the_stream_with_what_was_before(everywhere: Synthesized) -> None:
    table = everywhere.only("AWS::DynamoDB::Table")["Properties"]
    assert table["StreamSpecification"] == {"StreamViewType": "NEW_AND_OLD_IMAGES"}


def test_changes_come_from_the_first_on_again_and_again_and_halved_until_they_are_dead_letters(
    everywhere: Synthesized,
) -> None:
    mapping = mapping_of(everywhere, Verb.PUBLISH_EVENTS)
    assert everywhere.flat(mapping["EventSourceArn"]).endswith(".StreamArn")
    assert mapping["StartingPosition"] == "TRIM_HORIZON"
    assert (mapping["BatchSize"], mapping["MaximumBatchingWindowInSeconds"]) == (100, 1)
    assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert mapping["BisectBatchOnFunctionError"] is True
    assert mapping["MaximumRetryAttempts"] == 10
    (dead,) = (name for name in everywhere.resources("AWS::SQS::Queue") if name.startswith("EventsDeadLetters"))
    assert mapping["DestinationConfig"]["OnFailure"]["Destination"] == {"Fn::GetAtt": [dead, "Arn"]}


def test_what_nobody_is_told_of_costs_no_invocation(everywhere: Synthesized) -> None:
    (criterion,) = mapping_of(everywhere, Verb.PUBLISH_EVENTS)["FilterCriteria"]["Filters"]
    assert json.loads(criterion["Pattern"]) == {
        "eventName": ["INSERT", "MODIFY"],
        "dynamodb": {"Keys": {names.SORT_KEY: {"S": [{"prefix": "art_"}, "scope"]}}},
    }


def test_a_message_of_the_audit_is_tried_five_times_alone_among_ten(everywhere: Synthesized) -> None:
    name, queue = audit_queue(everywhere)
    mapping = mapping_of(everywhere, Verb.AUDIT_RECORDS)
    assert mapping["EventSourceArn"] == {"Fn::GetAtt": [name, "Arn"]}
    assert (mapping["BatchSize"], mapping["FunctionResponseTypes"]) == (10, ["ReportBatchItemFailures"])
    assert queue["RedrivePolicy"]["maxReceiveCount"] == 5
    assert queue["VisibilityTimeout"] == 6 * everywhere.function(Verb.AUDIT_RECORDS)["Timeout"]


@pytest.mark.parametrize(("detail_type", "not_below"), [("Object Deleted", "_audit/"), ("Object Created", "_")])
def test_what_becomes_of_objects_of_this_bucket_reaches_the_audit(
    everywhere: Synthesized, detail_type: str, not_below: str
) -> None:
    rule = rules(everywhere)[detail_type]
    (bucket,) = everywhere.resources("AWS::S3::Bucket")
    assert rule["EventPattern"] == {
        "source": ["aws.s3"],
        "detail-type": [detail_type],
        "detail": {
            "bucket": {"name": [{"Ref": bucket}]},
            "object": {"key": [{"anything-but": {"prefix": not_below}}]},
        },
    }


def test_every_rule_delivers_to_the_audit_or_its_dead_letters(everywhere: Synthesized) -> None:
    name, queue = audit_queue(everywhere)
    for rule in rules(everywhere).values():
        (target,) = rule["Targets"]
        assert target["Arn"] == {"Fn::GetAtt": [name, "Arn"]}
        assert target["DeadLetterConfig"]["Arn"] == {"Fn::GetAtt": [dead_letters_of(everywhere, queue), "Arn"]}


def test_only_the_rules_of_the_stack_may_send_to_the_audit(everywhere: Synthesized) -> None:
    found = [each["Properties"] for each in everywhere.resources("AWS::SQS::QueuePolicy").values()]
    name, _ = audit_queue(everywhere)
    (policy,) = (each for each in found if each["Queues"] == [{"Ref": name}])
    allowed = [each for each in policy["PolicyDocument"]["Statement"] if each["Effect"] == "Allow"]
    assert {each["Principal"]["Service"] for each in allowed} == {"events.amazonaws.com"}
    arns = {str(each["Condition"]["ArnEquals"]["aws:SourceArn"]) for each in allowed}
    assert arns == {str({"Fn::GetAtt": [rule, "Arn"]}) for rule in everywhere.resources("AWS::Events::Rule")}
    assert {action for each in allowed for action in as_list(each["Action"])} <= {
        "sqs:SendMessage",
        "sqs:GetQueueAttributes",
        "sqs:GetQueueUrl",
    }


@pytest.mark.parametrize(("environment", "daily"), [("local", False), ("sandbox", False), ("production", True)])
def test_everything_is_audited_once_a_day_in_production(
    synthesized: InEnvironment, environment: str, daily: bool
) -> None:
    rule = rules(synthesized(environment)).get("schedule")
    assert (rule is not None) is daily
    if rule:
        assert rule["ScheduleExpression"] == "rate(1 day)"
        assert wanted(rule["Targets"][0]["Input"], "any") == Sweep()
