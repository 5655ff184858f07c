"""The whole service in one paragraph."""

from __future__ import annotations

from aws_cdk import CfnOutput, Stack
from constructs import Construct

from infra.constructs.artifact_function import ArtifactFunction
from infra.constructs.artifact_records_table import ArtifactRecordsTable
from infra.constructs.audit_queue import AuditQueue
from infra.constructs.code_bundle import CodeBundles
from infra.constructs.events import Events
from infra.constructs.grant_statements import Stores
from infra.constructs.node_access import NodeAccess
from infra.constructs.profile_queue import ProfileQueue
from infra.constructs.signing_key import SigningKey
from infra.constructs.watch import Watchtower
from infra.constructs.workspaces_bucket import WorkspacesBucket
from infra.environments import Environment
from infra.outputs import ENVIRONMENT_OUTPUT
from session_datasets.domain.names import Verb


class SessionDatasetsStack(Stack):
    """A bucket of files, a table of records, a key, queues, a bus, one function per verb, who may call, who is told.

    ``name`` is the stack's name and the beginning of every name in it, so several live in one account. ``operator``
    (an ARN) may try the isolation below the doors, with ``session-datasets doctor isolation``; nobody may when None.
    """

    def __init__(self, scope: Construct, name: str, *, environment: Environment, operator: str | None = None) -> None:
        super().__init__(
            scope,
            name,
            description="Session Datasets: large data by reference, from node to node",
            termination_protection=environment.keeps_data,
        )
        queue = ProfileQueue(
            self, "ProfileQueue", worker_seconds=environment.size_of(Verb.PROFILE_ARTIFACT).timeout_seconds
        )
        audits = AuditQueue(self, "AuditQueue", worker_seconds=environment.size_of(Verb.AUDIT_RECORDS).timeout_seconds)
        events = Events(self, "Events", stack=name)
        stores = Stores(
            bucket=WorkspacesBucket(self, "Workspaces", environment=environment),
            table=ArtifactRecordsTable(self, "Records", table_name=name, environment=environment),
            signing_key=SigningKey(self, "SigningKey", stack=name, environment=environment),
            profile_queue=queue,
            audit_queue=audits,
            event_bus=events.bus,
            event_dead_letters=events.dead_letters,
        )
        bundles = CodeBundles(environment)
        functions = [
            ArtifactFunction(
                self,
                pascal_case(verb),
                stack=name,
                verb=verb,
                code=bundles.code_of(verb),
                stores=stores,
                environment=environment,
                operator=operator,
            )
            for verb in Verb
        ]
        by_verb = {each.verb: each for each in functions}
        queue.deliver_to(by_verb[Verb.PROFILE_ARTIFACT], environment)
        audits.deliver_to(by_verb[Verb.AUDIT_RECORDS])
        audits.hear_of(stores.bucket, environment)
        events.follow(stores.table, by_verb[Verb.PUBLISH_EVENTS])
        access = NodeAccess(self, "Access", functions=functions)
        topic = None
        if environment.watch:
            watchtower = Watchtower(
                self, "Watch", watch=environment.watch, functions=functions, table=stores.table, queue=queue
            )
            watchtower.watch_events(events, by_verb[Verb.PUBLISH_EVENTS])
            watchtower.watch_audits(audits, by_verb[Verb.AUDIT_RECORDS])
            watchtower.show_alarms()
            topic = watchtower.topic
        self._tell(environment, stores, queue, audits, functions, access)
        if topic:
            CfnOutput(self, "AlarmTopicArn", value=topic.topic_arn)

    def _tell(
        self,
        environment: Environment,
        stores: Stores,
        queue: ProfileQueue,
        audits: AuditQueue,
        functions: list[ArtifactFunction],
        access: NodeAccess,
    ) -> None:
        outputs = {
            ENVIRONMENT_OUTPUT: environment.name,
            "BucketName": stores.bucket.bucket_name,
            "TableName": stores.table.table_name,
            "SigningKeyArn": stores.signing_key.secret_arn,
            "ProfileQueueUrl": queue.queue_url,
            "DeadLettersUrl": queue.dead_letters.queue_url,
            "AuditQueueUrl": audits.queue_url,
            "AuditDeadLettersUrl": audits.dead_letters.queue_url,
            "EventBusName": stores.event_bus.event_bus_name,
            "EventDeadLettersUrl": stores.event_dead_letters.queue_url,
            "RecordsStreamArn": str(stores.table.table_stream_arn),
            "NodePolicyArn": access.node_policy.managed_policy_arn,
            "OrchestratorPolicyArn": access.orchestrator_policy.managed_policy_arn,
        }
        outputs |= {f"{pascal_case(each.verb)}Name": each.function.function_name for each in functions}
        outputs |= {
            f"{pascal_case(each.verb)}CallerRoleArn": each.caller_role.role_arn
            for each in functions
            if each.caller_role
        }
        for output, value in outputs.items():
            CfnOutput(self, output, value=value)


def pascal_case(verb: Verb) -> str:
    """``read_rows`` as CloudFormation spells names: ``ReadRows``."""
    return "".join(word.capitalize() for word in verb.split("_"))
