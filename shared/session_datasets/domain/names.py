"""Names that the infrastructure, the functions and the clients must agree on.

One place spells a verb, a function, an index or an environment variable, so that a deployed stack and the
code that talks to it cannot drift apart.
"""

from __future__ import annotations

from enum import StrEnum

DEFAULT_STACK = "session-datasets"

# The alias that callers invoke: it follows the published version, so a deploy never serves half of two.
LIVE_ALIAS = "live"


class Verb(StrEnum):
    """What can be asked of the service; one Lambda function, folder, operation and document heading each."""

    OPEN_SESSION = "open_session"
    PREPARE_UPLOAD = "prepare_upload"
    REGISTER_ARTIFACT = "register_artifact"
    LIST_ARTIFACTS = "list_artifacts"
    DESCRIBE_ARTIFACT = "describe_artifact"
    LOAD_ARTIFACT = "load_artifact"
    READ_ROWS = "read_rows"
    READ_COLUMNS = "read_columns"
    END_CONVERSATION = "end_conversation"
    END_RUN = "end_run"
    PROFILE_ARTIFACT = "profile_artifact"
    PUBLISH_EVENTS = "publish_events"
    AUDIT_RECORDS = "audit_records"


# What the service asks of itself, off a queue or a stream: no caller can name it and no token allows it.
EVENT_VERBS = (Verb.PROFILE_ARTIFACT, Verb.PUBLISH_EVENTS, Verb.AUDIT_RECORDS)
CALLED_VERBS = tuple(verb for verb in Verb if verb not in EVENT_VERBS)
# These remove what a whole conversation or run has left.
ENDING_VERBS = (Verb.END_CONVERSATION, Verb.END_RUN)
# Only the orchestrator opens sessions and ends what they belong to; a node's token can never name these verbs.
ORCHESTRATOR_VERBS = (Verb.OPEN_SESSION, *ENDING_VERBS)
NODE_VERBS = tuple(verb for verb in CALLED_VERBS if verb not in ORCHESTRATOR_VERBS)

# The verbs whose code opens the bytes of a file as a table; only their bundles carry pyarrow.
TABULAR_VERBS = (Verb.REGISTER_ARTIFACT, Verb.READ_ROWS, Verb.READ_COLUMNS, Verb.PROFILE_ARTIFACT)
# Those of them that measure whole files or reduce long series; only their bundle carries numpy, which pyarrow would
# import wherever it is.
NUMERIC_VERBS = (Verb.REGISTER_ARTIFACT, Verb.READ_COLUMNS, Verb.PROFILE_ARTIFACT)


def function_name(stack: str, verb: Verb) -> str:
    """The Lambda function of one verb, e.g. ``session-datasets-read-rows``."""
    return f"{stack}-{verb.replace('_', '-')}"


# DynamoDB: the artifact records table.
PARTITION_KEY = "owner_session"
SORT_KEY = "artifact_id"
CONVERSATION_INDEX = "conversation-index"
CONVERSATION_KEY = "owner_conversation"
RUN_INDEX = "run-index"
RUN_KEY = "owner_run"
# What a listing shows travels in one map, so an index projects it whole and never changes its shape.
SUMMARY_ATTRIBUTE = "summary"

# S3: the two kinds of workspace, and the prefix of what the service itself writes. An owner's id can not
# begin with an underscore, so no workspace ever lies under the derived prefix.
CONVERSATIONS_SEGMENT = "conversations"
RUNS_SEGMENT = "runs"
DERIVED_PREFIX = "_derived"
# Likewise, of what an audit found.
REPORTS_PREFIX = "_audit"

# Session tags of the credentials that a function works with in a caller's name; the policies of its caller role
# narrow every grant to them. Each is the id of the token, the last two only where the session has one.
TAG_OWNER = "owner"
TAG_SESSION = "session"
TAG_CONVERSATION = "conversation"
TAG_RUN = "run"
CALLER_TAGS = (TAG_OWNER, TAG_SESSION, TAG_CONVERSATION, TAG_RUN)

# Environment variables of the functions, read by runtime/settings.py and by nothing else.
ENV_STACK = "SESSION_DATASETS_STACK"
ENV_BUCKET = "SESSION_DATASETS_BUCKET"
ENV_TABLE = "SESSION_DATASETS_TABLE"
ENV_SIGNING_KEY = "SESSION_DATASETS_SIGNING_KEY"
ENV_PROFILE_QUEUE = "SESSION_DATASETS_PROFILE_QUEUE"
ENV_AUDIT_QUEUE = "SESSION_DATASETS_AUDIT_QUEUE"
ENV_EVENT_BUS = "SESSION_DATASETS_EVENT_BUS"
ENV_CALLER_ROLE = "SESSION_DATASETS_CALLER_ROLE"
ENV_PROFILED_AT_ONCE_BYTES = "SESSION_DATASETS_PROFILED_AT_ONCE_BYTES"

# Environment variables of a client: the token of its session and, when it differs, which alias to invoke.
ENV_TOKEN = "SESSION_DATASETS_TOKEN"
ENV_QUALIFIER = "SESSION_DATASETS_QUALIFIER"

# EventBridge: who the events of the bus come from. Their bus has the stack's name.
EVENT_SOURCE = "session-datasets"

METRICS_NAMESPACE = "SessionDatasets"
