"""A queue in front of a function, and where messages end that nothing could be done with."""

from __future__ import annotations

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_sqs as sqs
from constructs import Construct

# As long as SQS keeps anything: a queue that stood still over a holiday has lost nothing.
KEPT = Duration.days(14)
# What AWS advises for a queue in front of a function, in timeouts of the function: messages that were received and wait
# for the function to be free do not come a second time meanwhile. A message in work is hidden for less by its worker.
HIDDEN_TIMEOUTS = 6


class WorkQueue(sqs.Queue):
    """``dead_letters`` holds what was delivered ``deliveries`` times in vain."""

    def __init__(self, scope: Construct, construct_id: str, *, worker_seconds: int, deliveries: int) -> None:
        self.dead_letters = dead_letter_queue(scope, f"{construct_id}DeadLetters")
        super().__init__(
            scope,
            construct_id,
            visibility_timeout=Duration.seconds(HIDDEN_TIMEOUTS * worker_seconds),
            retention_period=KEPT,
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            enforce_ssl=True,
            removal_policy=RemovalPolicy.DESTROY,
            dead_letter_queue=sqs.DeadLetterQueue(queue=self.dead_letters, max_receive_count=deliveries),
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
