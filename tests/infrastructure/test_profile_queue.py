"""The queue of profiles: who empties it, when a message comes again, and where it ends."""

from __future__ import annotations

import pytest

from session_datasets.domain import names
from session_datasets.domain.limits import PROFILE_RETRY_SECONDS, PROFILE_STALLED_SECONDS, PROFILE_TRIES_MAX
from session_datasets.domain.names import Verb
from tests.infrastructure.synthesized import (
    InEnvironment,
    Synthesized,
    audit_queue,
    dead_letters_of,
    mapping_of,
    profile_queue,
)


def test_it_feeds_the_live_version_of_profile_artifact_one_message_at_a_time(everywhere: Synthesized) -> None:
    mapping = mapping_of(everywhere, Verb.PROFILE_ARTIFACT)
    assert mapping["EventSourceArn"] == {"Fn::GetAtt": [profile_queue(everywhere)[0], "Arn"]}
    assert mapping["BatchSize"] == 1
    assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert mapping["ScalingConfig"] == {"MaximumConcurrency": 20}


def test_a_received_message_is_hidden_for_six_timeouts_as_aws_advises(everywhere: Synthesized) -> None:
    _, queue = profile_queue(everywhere)
    assert queue["VisibilityTimeout"] == 6 * everywhere.function(Verb.PROFILE_ARTIFACT)["Timeout"]


def test_a_message_dies_after_the_delivery_that_writes_the_failure_down(everywhere: Synthesized) -> None:
    _, queue = profile_queue(everywhere)
    assert queue["RedrivePolicy"]["maxReceiveCount"] == PROFILE_TRIES_MAX + 1
    assert dead_letters_of(everywhere, queue) not in (profile_queue(everywhere)[0], audit_queue(everywhere)[0])


def test_all_queues_keep_messages_for_as_long_as_sqs_does(everywhere: Synthesized) -> None:
    kept = [each["Properties"]["MessageRetentionPeriod"] for each in everywhere.resources("AWS::SQS::Queue").values()]
    assert kept == [14 * 24 * 3600] * 5


def test_all_queues_are_encrypted_and_reached_over_tls_only(everywhere: Synthesized) -> None:
    queues = everywhere.resources("AWS::SQS::Queue")
    assert {each["Properties"]["SqsManagedSseEnabled"] for each in queues.values()} == {True}
    refused = {}
    for policy in everywhere.resources("AWS::SQS::QueuePolicy").values():
        (queue,) = policy["Properties"]["Queues"]
        statements = policy["Properties"]["PolicyDocument"]["Statement"]
        refused[queue["Ref"]] = [(each["Action"], each["Condition"]) for each in statements if each["Effect"] == "Deny"]
    assert refused == {name: [("sqs:*", {"Bool": {"aws:SecureTransport": "false"}})] for name in queues}


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
