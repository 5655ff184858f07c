"""Rows of the table of grants as statements of IAM."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_events as events
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_secretsmanager as secretsmanager
from aws_cdk import aws_sqs as sqs

from infra.grants import PLACES, Grant, Place, Store
from infra.nag import acknowledge
from session_datasets.domain.names import PARTITION_KEY, SORT_KEY, TAG_RUN

_PARTITION_KEYS = "dynamodb:LeadingKeys"
_IN_TABLE = (Store.TABLE, Store.CONVERSATION_INDEX, Store.RUN_INDEX)


@dataclass(frozen=True)
class Stores:
    """What the functions work on."""

    bucket: s3.Bucket
    table: dynamodb.Table
    signing_key: secretsmanager.Secret
    profile_queue: sqs.Queue
    audit_queue: sqs.Queue
    event_bus: events.EventBus
    event_dead_letters: sqs.Queue

    def arns(self, place: Place) -> list[str]:
        """The ARNs that stand for one place of the table of grants."""
        match place.store:
            case Store.SIGNING_KEY:
                return [self.signing_key.secret_arn]
            case Store.PROFILE_QUEUE:
                return [self.profile_queue.queue_arn]
            case Store.AUDIT_QUEUE:
                return [self.audit_queue.queue_arn]
            case Store.EVENT_BUS:
                return [self.event_bus.event_bus_arn]
            case Store.EVENT_DEAD_LETTERS:
                return [self.event_dead_letters.queue_arn]
            case Store.STREAM:
                assert self.table.table_stream_arn is not None
                return [self.table.table_stream_arn]
            case Store.OBJECTS:
                return [self.bucket.arn_for_objects(pattern) for pattern in place.patterns]
            case Store.BUCKET:
                return [self.bucket.bucket_arn]
            case Store.TABLE:
                return [self.table.table_arn]
            case Store.CONVERSATION_INDEX | Store.RUN_INDEX:
                return [f"{self.table.table_arn}/index/{place.store}"]
            case Store.CALLER_ROLE:
                raise ValueError("A caller role is known to its verb's function alone.")


# All of no attributes are whatever is wanted, and a request that chooses none gets them all: it has to say that it
# chooses, and which.
_NAMES_ONLY: dict[Store, dict[str, Any]] = {
    Store.TABLE: {
        "ForAllValues:StringEquals": {"dynamodb:Attributes": [PARTITION_KEY, SORT_KEY]},
        "StringEquals": {"dynamodb:Select": "SPECIFIC_ATTRIBUTES"},
        "Null": {"dynamodb:Attributes": "false"},
    },
    Store.BUCKET: {"StringEquals": {"s3:prefix": "", "s3:delimiter": "/"}},
}


def statements(grants: Iterable[Grant], stores: Stores, caller_role_arn: str = "") -> list[iam.PolicyStatement]:
    """One statement for each place of each row; ``caller_role_arn`` is what rows about the caller role are about."""
    return [
        iam.PolicyStatement(
            sid=grant.name + place.called,
            actions=list(grant.actions),
            resources=[caller_role_arn] if place.store is Store.CALLER_ROLE else stores.arns(place),
            conditions=_conditions(place),
        )
        for grant in grants
        for place in PLACES[grant.resource]
    ]


def acknowledge_prefixes(role: iam.Role, grants: Iterable[Grant], bucket: s3.Bucket) -> None:
    """A row about objects ends in a wildcard, for it is about all files of a folder; its reason is the finding's."""
    for grant, pattern in _object_patterns(grants):
        # The finding spells a variable of the policy as it spells one of the template.
        found = pattern.replace("${", "<").replace("}", ">")
        acknowledge(role, f"AwsSolutions-IAM5[Resource::<{_logical_id(bucket)}.Arn>/{found}]", grant.why)


def _object_patterns(grants: Iterable[Grant]) -> Iterator[tuple[Grant, str]]:
    for grant in grants:
        for place in PLACES[grant.resource]:
            if place.store is Store.OBJECTS:
                yield from ((grant, pattern) for pattern in place.patterns)


def _conditions(place: Place) -> dict[str, Any] | None:
    if place.names_only:
        return _NAMES_ONLY[place.store]
    conditions: dict[str, Any] = {}
    absent: dict[str, str] = {}
    if place.store is Store.BUCKET and place.patterns:
        conditions["StringLike"] = {"s3:prefix": list(place.patterns)}
    if place.store in _IN_TABLE and place.patterns:
        wild = any("*" in pattern for pattern in place.patterns)
        conditions[f"ForAllValues:String{'Like' if wild else 'Equals'}"] = {_PARTITION_KEYS: list(place.patterns)}
        # All of no values are whatever is wanted: a request that names no partition must not pass.
        absent[_PARTITION_KEYS] = "false"
    if place.only_without_run:
        absent[f"aws:PrincipalTag/{TAG_RUN}"] = "true"
    if absent:
        conditions["Null"] = absent
    return conditions or None


def _logical_id(bucket: s3.Bucket) -> str:
    cfn_bucket = bucket.node.default_child
    assert isinstance(cfn_bucket, s3.CfnBucket)
    return bucket.stack.get_logical_id(cfn_bucket)
