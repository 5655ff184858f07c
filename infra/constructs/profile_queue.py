"""The queue of profiles that take longer than a call, and where messages end that nothing could be done with."""

from __future__ import annotations

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.constructs.artifact_function import ArtifactFunction
from infra.environments import Environment
from session_datasets.domain.limits import PROFILE_TRIES_MAX

# As long as SQS keeps anything: a queue that stood still over a holiday has lost nothing.
KEPT = Duration.days(14)
# What AWS advises for a queue in front of a function, in timeouts of the function: messages that were received and wait
# for the function to be free do not come a second time meanwhile. A message in work is hidden for less by its worker.
HIDDEN_TIMEOUTS = 6
# The delivery after the last try only writes down that the service gave up.
DELIVERIES = PROFILE_TRIES_MAX + 1


class ProfileQueue(sqs.Queue):
    """``dead_letters`` holds what was delivered too often: each one is a file that a person should look at."""

    def __init__(self, scope: Construct, construct_id: str, *, worker_seconds: int) -> None:
        self.dead_letters = dead_letter_queue(scope, f"{construct_id}DeadLetters")
        super().__init__(
            scope,
            construct_id,
            visibility_timeout=Duration.seconds(HIDDEN_TIMEOUTS * worker_seconds),
            retention_period=KEPT,
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            enforce_ssl=True,
            removal_policy=RemovalPolicy.DESTROY,
            dead_letter_queue=sqs.DeadLetterQueue(queue=self.dead_letters, max_receive_count=DELIVERIES),
        )

    def deliver_to(self, worker: ArtifactFunction, environment: Environment) -> None:
        """One message a call, so that one file's failure is nobody else's."""
        worker.alias.add_event_source_mapping(
            "Profiles",
            event_source_arn=self.queue_arn,
            batch_size=1,
            report_batch_item_failures=True,
            max_concurrency=environment.profiles_at_a_time,
        )


def dead_letter_queue(scope: Construct, construct_id: str) -> sqs.Queue:
    return sqs.Queue(
        scope,
        construct_id,
        retention_period=KEPT,
        encryption=sqs.QueueEncryption.SQS_MANAGED,
        enforce_ssl=True,
        removal_policy=RemovalPolicy.DESTROY,
    )
