"""What is told to the outside: a bus of the stack's own, fed by the stream of its table."""

from __future__ import annotations

from aws_cdk import Duration
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_events as events
from aws_cdk import aws_lambda as lambda_
from aws_cdk.aws_lambda_event_sources import SqsDlq
from constructs import Construct

from infra.constructs.artifact_function import ArtifactFunction
from infra.constructs.work_queue import dead_letter_queue
from infra.nag import acknowledge
from session_datasets.domain import names

# A record of a session, or what is known of a conversation or a run as a whole; leases, marks of requests and
# hand-overs are told to nobody, and cost no invocation.
_RECORDS_AND_SCOPES = {
    "eventName": ["INSERT", "MODIFY"],
    "dynamodb": {"Keys": {names.SORT_KEY: {"S": [{"prefix": "art_"}, "scope"]}}},
}
CHANGES_AT_ONCE = 100
# Each try comes later than the one before; the last one some minutes after the first. Halving a batch is no try.
RETRIES = 10


class Events(Construct):
    """``bus`` is what consumers put rules on; ``dead_letters`` say which changes could not be told.

    A dead letter names a place in the stream, which keeps it for a day.
    """

    def __init__(self, scope: Construct, construct_id: str, *, stack: str) -> None:
        super().__init__(scope, construct_id)
        self.bus = events.EventBus(
            self,
            "Bus",
            event_bus_name=stack,
            description=f"What happened to artifacts, conversations and runs of {stack}",
        )
        self.dead_letters = dead_letter_queue(self, "DeadLetters")
        acknowledge(
            self.dead_letters,
            "AwsSolutions-SQS3",
            "These are dead letters: Lambda sends here what it could not deliver.",
        )

    def follow(self, table: dynamodb.Table, publisher: ArtifactFunction) -> None:
        """From the first write on: in the order of each record, and again until it is told or becomes a dead letter."""
        publisher.alias.add_event_source_mapping(
            "Changes",
            event_source_arn=table.table_stream_arn,
            starting_position=lambda_.StartingPosition.TRIM_HORIZON,
            batch_size=CHANGES_AT_ONCE,
            # Writes of one moment are told by one invocation.
            max_batching_window=Duration.seconds(1),
            bisect_batch_on_error=True,
            retry_attempts=RETRIES,
            report_batch_item_failures=True,
            on_failure=SqsDlq(self.dead_letters),
            filters=[lambda_.FilterCriteria.filter(_RECORDS_AND_SCOPES)],
        )
