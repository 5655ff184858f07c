"""What is watched, and who is called."""

from __future__ import annotations

import pytest

from session_datasets.domain.names import DEFAULT_STACK, METRICS_NAMESPACE, Verb, function_name
from tests.infrastructure.synthesized import InEnvironment, Json, Synthesized, as_list, audit_queue, profile_queue

each_verb = pytest.mark.parametrize("verb", Verb)
in_accounts = pytest.mark.parametrize("environment", ["sandbox", "production"])

WATCH_TYPES = ("AWS::CloudWatch::Dashboard", "AWS::CloudWatch::Alarm", "AWS::SNS::Topic", "AWS::KMS::Key")


def alarms(stack: Synthesized) -> list[Json]:
    return [each["Properties"] for each in stack.resources("AWS::CloudWatch::Alarm").values()]


def alarm_on(synth: Synthesized, metric: str, **dimensions: object) -> Json:
    """The one alarm on a metric with exactly these dimensions."""
    wanted = [{"Name": name, "Value": value} for name, value in sorted(dimensions.items())]
    (found,) = (
        each
        for each in alarms(synth)
        if each.get("MetricName") == metric and sorted(each["Dimensions"], key=lambda one: one["Name"]) == wanted
    )
    return found


def function_reference(stack: Synthesized, verb: Verb) -> Json:
    (name,) = (
        name
        for name, each in stack.resources("AWS::Lambda::Function").items()
        if each["Properties"]["FunctionName"] == function_name(DEFAULT_STACK, verb)
    )
    return {"Ref": name}


@pytest.mark.parametrize("kind", WATCH_TYPES)
def test_a_laptop_is_not_watched(local: Synthesized, kind: str) -> None:
    assert local.resources(kind) == {}


@each_verb
@in_accounts
@pytest.mark.parametrize("metric", ["Errors", "Throttles"])
def test_one_error_or_throttle_in_five_minutes_is_an_alarm(
    synthesized: InEnvironment, environment: str, verb: Verb, metric: str
) -> None:
    stack = synthesized(environment)
    alarm = alarm_on(stack, metric, FunctionName=function_reference(stack, verb))
    assert (alarm["Threshold"], alarm["Period"], alarm["Statistic"]) == (1, 300, "Sum")
    assert alarm["ComparisonOperator"] == "GreaterThanOrEqualToThreshold"


@each_verb
@in_accounts
def test_one_unforeseen_failure_that_was_answered_is_an_alarm(
    synthesized: InEnvironment, environment: str, verb: Verb
) -> None:
    alarm = alarm_on(synthesized(environment), "failures", service=verb.value, stack=DEFAULT_STACK)
    assert (alarm["Namespace"], alarm["Threshold"], alarm["Statistic"]) == (METRICS_NAMESPACE, 1, "Sum")


@each_verb
@in_accounts
def test_the_slowest_calls_reaching_four_fifths_of_the_timeout_are_an_alarm(
    synthesized: InEnvironment, environment: str, verb: Verb
) -> None:
    stack = synthesized(environment)
    alarm = alarm_on(stack, "Duration", FunctionName=function_reference(stack, verb))
    timeout_ms = stack.function(verb)["Timeout"] * 1000
    assert alarm["ExtendedStatistic"] == "p99"
    assert alarm["Threshold"] == pytest.approx(0.8 * timeout_ms)


@in_accounts
@pytest.mark.parametrize("metric", ["ThrottledRequests", "SystemErrors"])
def test_records_that_dynamodb_refuses_are_an_alarm(synthesized: InEnvironment, environment: str, metric: str) -> None:
    stack = synthesized(environment)
    (table,) = stack.resources("AWS::DynamoDB::Table")
    summed = [
        part["MetricStat"]["Metric"]
        for alarm in alarms(stack)
        for part in alarm.get("Metrics", [])
        if part.get("MetricStat", {}).get("Metric", {}).get("MetricName") == metric
    ]
    watched = {tuple(sorted((d["Name"], str(d["Value"])) for d in each["Dimensions"])) for each in summed}
    assert watched == {
        (("Operation", operation), ("TableName", str({"Ref": table})))
        for operation in ("GetItem", "PutItem", "TransactWriteItems", "Query")
    }


@in_accounts
def test_one_dead_letter_is_an_alarm(synthesized: InEnvironment, environment: str) -> None:
    stack = synthesized(environment)
    for dead in stack.resources("AWS::SQS::Queue").keys() - {profile_queue(stack)[0], audit_queue(stack)[0]}:
        alarm = alarm_on(stack, "ApproximateNumberOfMessagesVisible", QueueName={"Fn::GetAtt": [dead, "QueueName"]})
        assert (alarm["Threshold"], alarm["Statistic"]) == (1, "Maximum")


@in_accounts
def test_one_missing_file_is_an_alarm(synthesized: InEnvironment, environment: str) -> None:
    stack = synthesized(environment)
    alarm = alarm_on(stack, "missing_files", service=Verb.AUDIT_RECORDS.value, stack=DEFAULT_STACK)
    assert (alarm["Threshold"], alarm["Statistic"], alarm["Period"]) == (1, "Sum", 300)


@in_accounts
def test_events_that_are_not_told_within_an_hour_are_an_alarm(synthesized: InEnvironment, environment: str) -> None:
    alarm = next(each for each in alarms(synthesized(environment)) if each.get("MetricName") == "IteratorAge")
    assert (alarm["Threshold"], alarm["Statistic"]) == (3_600_000, "Maximum")


@in_accounts
def test_audits_that_are_not_made_within_an_hour_are_an_alarm(synthesized: InEnvironment, environment: str) -> None:
    stack = synthesized(environment)
    queue = {"Fn::GetAtt": [audit_queue(stack)[0], "QueueName"]}
    alarm = alarm_on(stack, "ApproximateAgeOfOldestMessage", QueueName=queue)
    assert (alarm["Threshold"], alarm["Statistic"]) == (3600, "Maximum")


@in_accounts
def test_a_profile_that_is_not_made_within_an_hour_is_an_alarm(synthesized: InEnvironment, environment: str) -> None:
    stack = synthesized(environment)
    queue = {"Fn::GetAtt": [profile_queue(stack)[0], "QueueName"]}
    alarm = alarm_on(stack, "ApproximateAgeOfOldestMessage", QueueName=queue)
    assert (alarm["Threshold"], alarm["Statistic"]) == (3600, "Maximum")


@in_accounts
def test_a_quiet_stack_alarms_nobody(synthesized: InEnvironment, environment: str) -> None:
    assert {each["TreatMissingData"] for each in alarms(synthesized(environment))} == {"notBreaching"}


@each_verb
@in_accounts
@pytest.mark.parametrize("metric", ["calls", "rows", "bytes_read", "s3_requests", "problems", "failures"])
def test_the_dashboard_shows_what_the_functions_count(
    synthesized: InEnvironment, environment: str, verb: Verb, metric: str
) -> None:
    stack = synthesized(environment)
    body = stack.flat_dashboard()
    shown = [line[:4] for widget in body["widgets"] for line in widget["properties"].get("metrics", [])]
    assert [METRICS_NAMESPACE, metric, "service", verb.value] in shown


def test_a_sandbox_calls_nobody(sandbox: Synthesized) -> None:
    assert sandbox.resources("AWS::SNS::Topic") == {}
    assert all("AlarmActions" not in each for each in alarms(sandbox))


def test_production_tells_the_topic_of_every_alarm_and_of_its_end(production: Synthesized) -> None:
    (topic,) = production.resources("AWS::SNS::Topic")
    told = [(each["AlarmActions"], each["OKActions"]) for each in alarms(production)]
    assert told == [([{"Ref": topic}], [{"Ref": topic}])] * (4 * len(Verb) + 5 + 2 + 2 + 2 + 3)


def test_the_topic_is_encrypted_with_a_rotated_key_of_its_own(production: Synthesized) -> None:
    (key,) = production.resources("AWS::KMS::Key")
    topic = production.only("AWS::SNS::Topic")["Properties"]
    assert topic["KmsMasterKeyId"] == {"Fn::GetAtt": [key, "Arn"]}
    assert production.only("AWS::KMS::Key")["Properties"]["EnableKeyRotation"] is True


def test_the_key_of_the_topic_goes_with_the_stack(production: Synthesized) -> None:
    key = production.only("AWS::KMS::Key")
    assert (key["DeletionPolicy"], key["UpdateReplacePolicy"]) == ("Delete", "Delete")


def test_the_topic_is_reached_over_tls_only(production: Synthesized) -> None:
    document = production.only("AWS::SNS::TopicPolicy")["Properties"]["PolicyDocument"]
    (refusal,) = (each for each in document["Statement"] if each["Effect"] == "Deny")
    assert refusal["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
    assert refusal["Action"] == "sns:Publish"


def test_cloudwatch_may_use_topic_and_key_for_this_account_only(production: Synthesized) -> None:
    documents = [
        production.only("AWS::SNS::TopicPolicy")["Properties"]["PolicyDocument"],
        production.only("AWS::KMS::Key")["Properties"]["KeyPolicy"],
    ]
    granted = {
        action: each["Condition"]
        for document in documents
        for each in document["Statement"]
        if each["Principal"] == {"Service": "cloudwatch.amazonaws.com"}
        for action in as_list(each["Action"])
    }
    own = {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}}
    assert granted == {"sns:Publish": own, "kms:Decrypt": own, "kms:GenerateDataKey": own}


def test_an_output_names_the_topic_that_people_subscribe_to(production: Synthesized) -> None:
    (topic,) = production.resources("AWS::SNS::Topic")
    assert production.template["Outputs"]["AlarmTopicArn"] == {"Value": {"Ref": topic}}


def test_a_sandbox_calls_nobody_and_names_no_topic(sandbox: Synthesized) -> None:
    assert "AlarmTopicArn" not in sandbox.template["Outputs"]
