"""The table of artifact records, and the two indexes through which other sessions find them."""

from __future__ import annotations

from aws_cdk import aws_dynamodb as dynamodb
from constructs import Construct

from infra.environments import Environment
from session_datasets.domain import names


class ArtifactRecordsTable(dynamodb.Table):
    """One item per artifact, under owner and session; no item ever expires by itself.

    Both indexes are sparse: an artifact is in the conversation's when it has a conversation, and in the run's
    when it has a run.
    """

    def __init__(self, scope: Construct, construct_id: str, *, table_name: str, environment: Environment) -> None:
        super().__init__(
            scope,
            construct_id,
            table_name=table_name,
            partition_key=_text(names.PARTITION_KEY),
            sort_key=_text(names.SORT_KEY),
            billing_mode=dynamodb.BillingMode.PAY_PER_REQUEST,
            # What happened to a record is told by its write, with what was before it.
            stream=dynamodb.StreamViewType.NEW_AND_OLD_IMAGES,
            encryption=dynamodb.TableEncryption.AWS_MANAGED,
            point_in_time_recovery_specification=dynamodb.PointInTimeRecoverySpecification(
                point_in_time_recovery_enabled=True
            ),
            deletion_protection=environment.keeps_data,
            removal_policy=environment.removal,
        )
        self._add_listing_index(names.CONVERSATION_INDEX, names.CONVERSATION_KEY)
        self._add_listing_index(names.RUN_INDEX, names.RUN_KEY)

    def _add_listing_index(self, index: str, partition_key: str) -> None:
        self.add_global_secondary_index(
            index_name=index,
            partition_key=_text(partition_key),
            sort_key=_text(names.SORT_KEY),
            projection_type=dynamodb.ProjectionType.INCLUDE,
            non_key_attributes=[names.SUMMARY_ATTRIBUTE],
        )


def _text(name: str) -> dynamodb.Attribute:
    return dynamodb.Attribute(name=name, type=dynamodb.AttributeType.STRING)
