"""The queue of profiles: who empties it, when a message comes again, and where it ends."""

from __future__ import annotations

import pytest

from session_datasets.domain import names
from session_datasets.domain.limits import PROFILE_RETRY_SECONDS, PROFILE_STALLED_SECONDS, PROFILE_TRIES_MAX
from session_datasets.domain.names import Verb
from tests.infrastructure.synthesized import InEnvironment, Json, Synthesized, profile_queue


def dead_letters(stack: Synthesized) -> tuple[str, Json]:
    (found,) = (
        (name, each["Properties"])
        for name, each in stack.resources("AWS::SQS::Queue").items()
        if name != profile_queue(stack)[0]
    )
    return found


def test_it_feeds_the_live_version_of_profile_artifact_one_message_at_a_time(everywhere: Synthesized) -> None:
    mapping = everywhere.only("AWS::Lambda::EventSourceMapping")["Properties"]
    (worker,) = (
        name
        for name, each in everywhere.resources("AWS::Lambda::Function").items()
        if each["Properties"] is everywhere.function(Verb.PROFILE_ARTIFACT)
    )
    (alias,) = (
        name
        for name, each in everywhere.resources("AWS::Lambda::Alias").items()
        if each["Properties"]["FunctionName"] == {"Ref": worker}
    )
    assert alias in str(mapping["FunctionName"])
    assert mapping["BatchSize"] == 1
    assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert mapping["ScalingConfig"] == {"MaximumConcurrency": 20}


def test_a_received_message_is_hidden_for_six_timeouts_as_aws_advises(everywhere: Synthesized) -> None:
    _, queue = profile_queue(everywhere)
    assert queue["VisibilityTimeout"] == 6 * everywhere.function(Verb.PROFILE_ARTIFACT)["Timeout"]


def test_a_message_dies_after_the_delivery_that_writes_the_failure_down(everywhere: Synthesized) -> None:
    _, queue = profile_queue(everywhere)
    assert queue["RedrivePolicy"] == {
        "deadLetterTargetArn": {"Fn::GetAtt": [dead_letters(everywhere)[0], "Arn"]},
        "maxReceiveCount": PROFILE_TRIES_MAX + 1,
    }


def test_both_queues_keep_messages_for_as_long_as_sqs_does(everywhere: Synthesized) -> None:
    kept = [each["Properties"]["MessageRetentionPeriod"] for each in everywhere.resources("AWS::SQS::Queue").values()]
    assert kept == [14 * 24 * 3600] * 2


def test_both_queues_are_encrypted_and_reached_over_tls_only(everywhere: Synthesized) -> None:
    queues = everywhere.resources("AWS::SQS::Queue")
    assert [each["Properties"]["SqsManagedSseEnabled"] for each in queues.values()] == [True, True]
    refused = {}
    for policy in everywhere.resources("AWS::SQS::QueuePolicy").values():
        (statement,) = policy["Properties"]["PolicyDocument"]["Statement"]
        (queue,) = policy["Properties"]["Queues"]
        refused[queue["Ref"]] = (statement["Effect"], statement["Action"], statement["Condition"])
    assert refused == dict.fromkeys(queues, ("Deny", "sqs:*", {"Bool": {"aws:SecureTransport": "false"}}))


def test_a_crash_comes_again_before_a_repeated_registration_asks_anew(everywhere: Synthesized) -> None:
    assert everywhere.function(Verb.PROFILE_ARTIFACT)["Timeout"] + PROFILE_RETRY_SECONDS < PROFILE_STALLED_SECONDS


@pytest.mark.parametrize(("environment", "mib"), [("local", 32), ("sandbox", 64), ("production", 64)])
def test_registering_is_told_what_it_profiles_at_once(synthesized: InEnvironment, environment: str, mib: int) -> None:
    stack = synthesized(environment)
    told = {
        verb: stack.function(verb)["Environment"]["Variables"].get(names.ENV_PROFILED_AT_ONCE_BYTES) for verb in Verb
    }
    assert {verb: value for verb, value in told.items() if value} == {Verb.REGISTER_ARTIFACT: str(mib * 1024 * 1024)}


def test_only_who_sends_and_who_works_is_told_the_queue(everywhere: Synthesized) -> None:
    name, _ = profile_queue(everywhere)
    told = {
        verb: url
        for verb in Verb
        if (url := everywhere.function(verb)["Environment"]["Variables"].get(names.ENV_PROFILE_QUEUE))
    }
    assert told == {verb: {"Ref": name} for verb in (Verb.REGISTER_ARTIFACT, Verb.PROFILE_ARTIFACT)}
