"""The queue of audits: what S3 tells of the bucket's objects, and once a day everything."""

from __future__ import annotations

from aws_cdk import Duration
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_s3 as s3
from constructs import Construct

from infra.constructs.artifact_function import ArtifactFunction
from infra.constructs.work_queue import WorkQueue
from infra.environments import Environment
from session_datasets.domain.names import REPORTS_PREFIX

DELIVERIES = 5
MESSAGES_AT_ONCE = 10
# Of the account's functions that run at a time: nobody waits for an audit.
AT_A_TIME = 5
# What a sweep of everything begins with; storage/audit_queue.py reads it.
BEGIN_SWEEP = {"v": 1, "sweep": {}}


class AuditQueue(WorkQueue):
    """``dead_letters`` holds what could not be audited, and what EventBridge could not deliver."""

    def __init__(self, scope: Construct, construct_id: str, *, worker_seconds: int) -> None:
        super().__init__(scope, construct_id, worker_seconds=worker_seconds, deliveries=DELIVERIES)

    def deliver_to(self, worker: ArtifactFunction) -> None:
        worker.alias.add_event_source_mapping(
            "Audits",
            event_source_arn=self.queue_arn,
            batch_size=MESSAGES_AT_ONCE,
            # Whoever ends a run deletes its files by thousands: fewer invocations, a few seconds later.
            max_batching_window=Duration.seconds(2),
            report_batch_item_failures=True,
            max_concurrency=AT_A_TIME,
        )

    def hear_of(self, bucket: s3.Bucket, environment: Environment) -> None:
        """Everything that is deleted, and what nodes write: what an audit itself writes is told to nobody."""
        self._hear("Deleted", bucket, "Object Deleted", not_below=f"{REPORTS_PREFIX}/")
        self._hear("Written", bucket, "Object Created", not_below="_")
        if environment.audits_daily:
            events.Rule(
                self,
                "Daily",
                description="Audits everything once a day",
                schedule=events.Schedule.rate(Duration.days(1)),
                targets=[self._target(events.RuleTargetInput.from_object(BEGIN_SWEEP))],
            )

    def _hear(self, name: str, bucket: s3.Bucket, detail_type: str, *, not_below: str) -> None:
        events.Rule(
            self,
            name,
            description=f"{detail_type} in the workspaces, to be audited",
            event_pattern=events.EventPattern(
                source=["aws.s3"],
                detail_type=[detail_type],
                detail={
                    "bucket": {"name": [bucket.bucket_name]},
                    "object": {"key": [{"anything-but": {"prefix": not_below}}]},
                },
            ),
            targets=[self._target()],
        )

    def _target(self, message: events.RuleTargetInput | None = None) -> targets.SqsQueue:
        return targets.SqsQueue(self, message=message, dead_letter_queue=self.dead_letters)
