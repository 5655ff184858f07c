"""One verb, deployed: its function, its role, its log, and the alias that callers invoke."""

from __future__ import annotations

from aws_cdk import Duration, RemovalPolicy, Size
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from constructs import Construct

from infra.constructs.caller_role import CallerRole
from infra.constructs.function_role import FunctionRole
from infra.constructs.grant_statements import Stores
from infra.environments import Environment
from infra.grants import PLACES, Resource, Store, grants_of
from infra.nag import acknowledge
from session_datasets.domain import names
from session_datasets.domain.names import NUMERIC_VERBS, Verb

RUNTIMES = {"3.13": lambda_.Runtime.PYTHON_3_13, "3.14": lambda_.Runtime.PYTHON_3_14}
ARCHITECTURES = {"aarch64": lambda_.Architecture.ARM_64, "x86_64": lambda_.Architecture.X86_64}

# What a function is told, and the stores of which one must be granted to it for the telling to make sense.
BUCKET_STORES = {Store.OBJECTS, Store.BUCKET}
TABLE_STORES = {Store.TABLE, Store.CONVERSATION_INDEX, Store.RUN_INDEX}


class ArtifactFunction(Construct):
    """``function`` runs the verb's handler; ``alias`` follows the version deployed last.

    ``caller_role`` is what it puts on to work with data, None for a verb that works with none.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        stack: str,
        verb: Verb,
        code: lambda_.Code,
        stores: Stores,
        environment: Environment,
        operator: str | None = None,
    ) -> None:
        super().__init__(scope, construct_id)
        self.verb = verb
        self.size = environment.size_of(verb)
        name = names.function_name(stack, verb)
        log_group = _log_group(self, environment)
        snap_start = _snap_start(environment, self.size.may_snap_start)
        role = FunctionRole(self, "Role", verb=verb, stores=stores, log_group=log_group, traced=environment.traced)
        self.caller_role = _caller_role(self, verb, stores, role, operator)
        self.function = lambda_.Function(
            self,
            "Function",
            function_name=name,
            description=f"{verb} of {stack}",
            runtime=RUNTIMES[environment.target.python],
            architecture=ARCHITECTURES[environment.target.machine],
            code=code,
            handler=f"lambdas.{verb}.handler.handler",
            role=_only_the_table_grants(role),
            memory_size=self.size.memory_mib,
            timeout=Duration.seconds(self.size.timeout_seconds),
            ephemeral_storage_size=Size.mebibytes(self.size.scratch_mib),
            log_group=log_group,
            logging_format=lambda_.LoggingFormat.JSON,
            tracing=lambda_.Tracing.ACTIVE if environment.traced else lambda_.Tracing.DISABLED,
            snap_start=snap_start,
            recursive_loop=_recursive_loop(verb),
            current_version_options=_versions(environment),
            environment=_variables(stack, verb, stores, environment, self.caller_role),
        )
        if self.caller_role:
            self.function.node.add_dependency(self.caller_role.of_function)
        if snap_start:
            acknowledge(
                self.function,
                "@aws-cdk/aws-lambda:snapStartRequirePublish",
                "Callers invoke the alias, which points at a published version.",
            )
        self.alias = lambda_.Alias(self, "Live", alias_name=names.LIVE_ALIAS, version=self.function.current_version)


def _caller_role(
    scope: Construct, verb: Verb, stores: Stores, function_role: FunctionRole, operator: str | None
) -> CallerRole | None:
    if Resource.CALLER_ROLE not in {grant.resource for grant in grants_of(verb)}:
        return None
    return CallerRole(scope, "CallerRole", verb=verb, stores=stores, function_role=function_role, operator=operator)


def _log_group(scope: Construct, environment: Environment) -> logs.LogGroup:
    # Without a name of its own, so that one kept from a deleted stack is not in the way of the next.
    return logs.LogGroup(scope, "Log", retention=environment.log_retention, removal_policy=environment.removal)


def _versions(environment: Environment) -> lambda_.VersionOptions:
    # A deploy that failed takes its version back: Lambda would not publish the same code twice.
    keep, drop = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE, RemovalPolicy.DESTROY
    return lambda_.VersionOptions(removal_policy=keep if environment.keeps_superseded_versions else drop)


def _only_the_table_grants(role: FunctionRole) -> iam.IRole:
    # The library would add statements of its own, for tracing with a wildcard resource.
    return role.without_policy_updates()


def _snap_start(environment: Environment, allowed: bool) -> lambda_.SnapStartConf | None:
    return lambda_.SnapStartConf.ON_PUBLISHED_VERSIONS if environment.snap_start and allowed else None


def _recursive_loop(verb: Verb) -> lambda_.RecursiveLoop | None:
    """Lambda cuts a chain of messages from a function to itself after some sixteen, and this is how an audit of
    everything goes on: each page asks for the next, and every one comes nearer to the last."""
    return lambda_.RecursiveLoop.ALLOW if verb is Verb.AUDIT_RECORDS else None


def _variables(
    stack: str, verb: Verb, stores: Stores, environment: Environment, caller_role: CallerRole | None
) -> dict[str, str]:
    """The environment of one function: nothing it does not need."""
    granted = {place.store for grant in grants_of(verb) for place in PLACES[grant.resource]}
    variables = {
        names.ENV_STACK: stack,
        "POWERTOOLS_SERVICE_NAME": str(verb),
        "POWERTOOLS_METRICS_NAMESPACE": names.METRICS_NAMESPACE,
        "POWERTOOLS_LOG_LEVEL": environment.log_level,
    }
    if Store.SIGNING_KEY in granted:
        variables[names.ENV_SIGNING_KEY] = stores.signing_key.secret_arn
    if granted & BUCKET_STORES:
        variables[names.ENV_BUCKET] = stores.bucket.bucket_name
    if granted & TABLE_STORES:
        variables[names.ENV_TABLE] = stores.table.table_name
    if Store.PROFILE_QUEUE in granted:
        variables[names.ENV_PROFILE_QUEUE] = stores.profile_queue.queue_url
    if Store.AUDIT_QUEUE in granted:
        variables[names.ENV_AUDIT_QUEUE] = stores.audit_queue.queue_url
    if Store.EVENT_BUS in granted:
        variables[names.ENV_EVENT_BUS] = stores.event_bus.event_bus_name
    if caller_role:
        variables[names.ENV_CALLER_ROLE] = caller_role.role_arn
    if verb is Verb.REGISTER_ARTIFACT:
        variables[names.ENV_PROFILED_AT_ONCE_BYTES] = str(environment.profiled_at_once_bytes)
    if verb in NUMERIC_VERBS:
        # Arrow's own allocator keeps what was freed; the system's gives it back, at no cost in time.
        variables["ARROW_DEFAULT_MEMORY_POOL"] = "system"
    if not environment.traced:
        variables["POWERTOOLS_TRACE_DISABLED"] = "true"
    return variables
