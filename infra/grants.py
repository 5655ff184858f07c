"""The one table of permissions: which verb may do which action on which resource, and why.

Every role in the stack is generated from these rows, and a test holds the synthesized template to them in both
directions. What is not written here, no function can do: none deletes a file or a record but the two that end a
conversation or a run, in it and nowhere else (a worker takes off its queue the messages that it worked on), and only
registering and profiling write what readers read.

A verb that works with data has two roles. Its **function role** is Lambda's: it reads the key, talks to queues and
may put on the verb's **caller role**, and nothing else (an audit of everything sees the keys of records and the names
of owners by it). The caller role holds every grant on data, and all of them are
narrowed to the session tags that it was put on with: a function that forgets them, or names another owner than the
caller's, is denied by AWS, whatever its code meant to do. Which rows are whose is said by their resource: ``PLACES``
spells each out.

A verb in which no caller has a part (it works for all owners at once) would name resources of its own here, without
tags in their places, and leave them out of ``OF_CALLERS``: the function role holds them then.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from session_datasets.domain.names import (
    CALLED_VERBS,
    CONVERSATION_INDEX,
    CONVERSATIONS_SEGMENT,
    DERIVED_PREFIX,
    ENDING_VERBS,
    REPORTS_PREFIX,
    RUN_INDEX,
    RUNS_SEGMENT,
    TAG_CONVERSATION,
    TAG_OWNER,
    TAG_RUN,
    TAG_SESSION,
    Verb,
)


class Resource(StrEnum):
    """What a row of the table is about; OWN is of the caller's session, OWNERS of the caller's owner."""

    # The function's own.
    SIGNING_KEY = "signing key"
    PROFILE_QUEUE = "queue of profiles"
    CALLER_ROLE = "caller role of the same verb"
    AUDIT_QUEUE = "queue of audits"
    EVENT_BUS = "bus of events"
    EVENT_DEAD_LETTERS = "dead letters of events"
    RECORDS_STREAM = "stream of records"
    RECORDS_KEYS = "keys of all records"
    OWNERS_NAMES = "names of all owners"
    # Only in a caller's name.
    OWN_WORKSPACE = "files in the caller's workspace"
    OWN_WORKSPACE_LISTING = "listing of the caller's workspace"
    OWNERS_WORKSPACES = "files in all workspaces of the owner"
    OWNERS_WORKSPACES_LISTING = "listing of the owner's workspaces"
    OWNERS_DERIVED = "derived objects of the owner"
    OWNERS_DERIVED_LISTING = "listing of the owner's derived objects"
    OWN_PARTITION = "records of the caller's session"
    OWNERS_PARTITIONS = "records of all sessions of the owner"
    OWN_INDEXES = "index entries of the caller's conversation and run"
    OWNERS_INDEX = "index entries of all conversations of the owner"
    OWNERS_REPORTS = "reports on the owner's files"
    OWN_LEASES = "leases of the caller's conversation and run"
    OWN_REMAINS = "files and derived objects of the caller's conversation or run"
    OWN_REMAINS_LISTING = "listing of files and derived objects of the caller's conversation or run"
    UNFINISHED_UPLOADS = "listing of unfinished uploads"


class Store(StrEnum):
    """What an ARN of a place is made of."""

    SIGNING_KEY = "signing key"
    PROFILE_QUEUE = "queue of profiles"
    CALLER_ROLE = "caller role"
    AUDIT_QUEUE = "queue of audits"
    EVENT_BUS = "bus of events"
    EVENT_DEAD_LETTERS = "dead letters of events"
    STREAM = "stream of the table"
    OBJECTS = "objects"  # ``patterns`` are keys
    BUCKET = "bucket"  # ``patterns`` are the prefixes that may be listed, none of them for all
    TABLE = "table"  # ``patterns`` are partition keys, likewise in an index
    CONVERSATION_INDEX = CONVERSATION_INDEX
    RUN_INDEX = RUN_INDEX


@dataclass(frozen=True)
class Place:
    """Where a resource lies; a row has one statement for each place of its resource.

    Two places instead of one with more patterns wherever a tag may be missing: IAM may take a statement with a
    variable that has no value as a whole for no statement.
    """

    store: Store
    patterns: tuple[str, ...] = ()
    called: str = ""  # what the statement's Sid adds to the row's name
    only_without_run: bool = False
    # Of items nothing but their keys, of a bucket nothing but the names on its first level.
    names_only: bool = False


def _tag(name: str) -> str:
    return f"${{aws:PrincipalTag/{name}}}"


OWNER, SESSION, CONVERSATION, RUN = map(_tag, (TAG_OWNER, TAG_SESSION, TAG_CONVERSATION, TAG_RUN))

# As storage/keys.py builds them: a node of a run has a workspace of its own, the sessions of a chat share one.
_RUN_WORKSPACE = (f"{OWNER}/{RUNS_SEGMENT}/{RUN}/{SESSION}/*",)
_CONVERSATION_WORKSPACE = (f"{OWNER}/{CONVERSATIONS_SEGMENT}/{CONVERSATION}/*",)
_WORKSPACES = (f"{OWNER}/{CONVERSATIONS_SEGMENT}/*", f"{OWNER}/{RUNS_SEGMENT}/*")
_DERIVED = (f"{DERIVED_PREFIX}/{OWNER}/*",)

_OF_RUN = f"{OWNER}/{RUNS_SEGMENT}/{RUN}/*"
_OF_CONVERSATION = f"{OWNER}/{CONVERSATIONS_SEGMENT}/{CONVERSATION}/*"
_RUNS_REMAINS = (_OF_RUN, f"{DERIVED_PREFIX}/{_OF_RUN}")
_CONVERSATIONS_REMAINS = (_OF_CONVERSATION, f"{DERIVED_PREFIX}/{_OF_CONVERSATION}")

PLACES: dict[Resource, tuple[Place, ...]] = {
    Resource.SIGNING_KEY: (Place(Store.SIGNING_KEY),),
    Resource.PROFILE_QUEUE: (Place(Store.PROFILE_QUEUE),),
    Resource.CALLER_ROLE: (Place(Store.CALLER_ROLE),),
    Resource.AUDIT_QUEUE: (Place(Store.AUDIT_QUEUE),),
    Resource.EVENT_BUS: (Place(Store.EVENT_BUS),),
    Resource.EVENT_DEAD_LETTERS: (Place(Store.EVENT_DEAD_LETTERS),),
    Resource.RECORDS_STREAM: (Place(Store.STREAM),),
    Resource.RECORDS_KEYS: (Place(Store.TABLE, names_only=True),),
    Resource.OWNERS_NAMES: (Place(Store.BUCKET, names_only=True),),
    Resource.OWN_WORKSPACE: (
        Place(Store.OBJECTS, _RUN_WORKSPACE, "InRun"),
        Place(Store.OBJECTS, _CONVERSATION_WORKSPACE, "InConversation", only_without_run=True),
    ),
    Resource.OWN_WORKSPACE_LISTING: (
        Place(Store.BUCKET, _RUN_WORKSPACE, "InRun"),
        Place(Store.BUCKET, _CONVERSATION_WORKSPACE, "InConversation", only_without_run=True),
    ),
    Resource.OWNERS_WORKSPACES: (Place(Store.OBJECTS, _WORKSPACES),),
    Resource.OWNERS_WORKSPACES_LISTING: (Place(Store.BUCKET, _WORKSPACES),),
    Resource.OWNERS_DERIVED: (Place(Store.OBJECTS, _DERIVED),),
    Resource.OWNERS_DERIVED_LISTING: (Place(Store.BUCKET, _DERIVED),),
    Resource.OWN_PARTITION: (Place(Store.TABLE, (f"{OWNER}#{SESSION}",)),),
    Resource.OWNERS_PARTITIONS: (Place(Store.TABLE, (f"{OWNER}#*",)),),
    Resource.OWN_INDEXES: (
        Place(Store.CONVERSATION_INDEX, (f"{OWNER}#{CONVERSATION}",), "OfConversation"),
        Place(Store.RUN_INDEX, (f"{OWNER}#{RUN}",), "OfRun"),
    ),
    Resource.OWNERS_INDEX: (Place(Store.CONVERSATION_INDEX, (f"{OWNER}#*",)),),
    Resource.OWNERS_REPORTS: (Place(Store.OBJECTS, (f"{REPORTS_PREFIX}/{OWNER}/*",)),),
    Resource.OWN_LEASES: (
        Place(Store.TABLE, (f"{OWNER}#{CONVERSATIONS_SEGMENT}#{CONVERSATION}",), "OfConversation"),
        Place(Store.TABLE, (f"{OWNER}#{RUNS_SEGMENT}#{RUN}",), "OfRun"),
    ),
    Resource.OWN_REMAINS: (
        Place(Store.OBJECTS, _CONVERSATIONS_REMAINS, "OfConversation"),
        Place(Store.OBJECTS, _RUNS_REMAINS, "OfRun"),
    ),
    Resource.OWN_REMAINS_LISTING: (
        Place(Store.BUCKET, _CONVERSATIONS_REMAINS, "OfConversation"),
        Place(Store.BUCKET, _RUNS_REMAINS, "OfRun"),
    ),
    # The one place that is not narrowed: for this listing S3 knows no condition on the prefix.
    Resource.UNFINISHED_UPLOADS: (Place(Store.BUCKET),),
}

# Held by caller roles; the rest is held by function roles.
OF_CALLERS = frozenset(Resource) - {
    Resource.SIGNING_KEY,
    Resource.PROFILE_QUEUE,
    Resource.CALLER_ROLE,
    Resource.AUDIT_QUEUE,
    Resource.EVENT_BUS,
    Resource.EVENT_DEAD_LETTERS,
    Resource.RECORDS_STREAM,
    Resource.RECORDS_KEYS,
    Resource.OWNERS_NAMES,
}


@dataclass(frozen=True)
class Grant:
    """One row: ``verbs`` may do ``actions`` on ``resource``, because of ``why``.

    ``name`` begins its statements' Sids: letters and digits, unique for each verb.
    """

    name: str
    verbs: tuple[Verb, ...]
    actions: tuple[str, ...]
    resource: Resource
    why: str


# All work with data, each for one caller at a time: the profile of a file is made for the session that registered it,
# the orchestrator opens and ends in the name of the owner, conversation and run that it names, and an audit looks at
# one owner's data after the other's. But for one, which tells what the table's stream tells it and asks for no data.
NARROWED_VERBS = tuple(verb for verb in Verb if verb is not Verb.PUBLISH_EVENTS)
# The two that look at no token, for nobody but the orchestrator may invoke them.
_SIGNERS_AND_CHECKERS = tuple(verb for verb in CALLED_VERBS if verb not in ENDING_VERBS)

FINDERS = (
    Verb.REGISTER_ARTIFACT,
    Verb.DESCRIBE_ARTIFACT,
    Verb.LOAD_ARTIFACT,
    Verb.READ_ROWS,
    Verb.READ_COLUMNS,
)

GRANTS = (
    Grant(
        "ReadSigningKey",
        _SIGNERS_AND_CHECKERS,
        ("secretsmanager:GetSecretValue",),
        Resource.SIGNING_KEY,
        "Opening a session signs its token; the verbs of a session verify one before anything else.",
    ),
    Grant(
        "ActForCallers",
        NARROWED_VERBS,
        ("sts:AssumeRole", "sts:TagSession"),
        Resource.CALLER_ROLE,
        "The way to data: credentials that carry the caller's owner, session, conversation and run.",
    ),
    Grant(
        "HoldWhatIsOpen",
        (Verb.OPEN_SESSION,),
        ("dynamodb:PutItem", "dynamodb:UpdateItem"),
        Resource.OWN_LEASES,
        "A session holds its conversation and run by a lease, and is counted on condition that neither has ended.",
    ),
    Grant(
        "SeeWhetherItEnded",
        (Verb.PREPARE_UPLOAD,),
        ("dynamodb:GetItem",),
        Resource.OWN_PARTITION,
        "Nothing is uploaded by a session whose conversation or run has ended.",
    ),
    Grant(
        "SignUploads",
        (Verb.PREPARE_UPLOAD,),
        ("s3:PutObject",),
        Resource.OWN_WORKSPACE,
        "A presigned upload, whole or in parts, can do no more than the credentials that signed it.",
    ),
    Grant(
        "RecogniseFiles",
        (Verb.PREPARE_UPLOAD,),
        ("s3:GetObject",),
        Resource.OWN_WORKSPACE,
        "A file that is there already, by the size and the sha256 of its head, is not uploaded again.",
    ),
    Grant(
        "ReadFiles",
        (Verb.REGISTER_ARTIFACT,),
        ("s3:GetObject", "s3:GetObjectVersion"),
        Resource.OWN_WORKSPACE,
        "The service measures the file itself, at the version it pins.",
    ),
    Grant(
        "NameNearFiles",
        (Verb.REGISTER_ARTIFACT,),
        ("s3:ListBucket",),
        Resource.OWN_WORKSPACE_LISTING,
        "Tells a missing file from a forbidden one, and names the files that are there instead.",
    ),
    Grant(
        "ReadRegisteredFiles",
        (Verb.PROFILE_ARTIFACT, Verb.LOAD_ARTIFACT),
        ("s3:GetObjectVersion",),
        Resource.OWNERS_WORKSPACES,
        "An artifact that a session may load lies where another session of its conversation or run wrote it; and a "
        "profile is asked for by session and id, the record says where the file lies.",
    ),
    Grant(
        "SeeNewestFiles",
        (Verb.LOAD_ARTIFACT,),
        ("s3:GetObject",),
        Resource.OWNERS_WORKSPACES,
        "Tells a file that was deleted from one that was replaced, and finds the copy of an earlier load.",
    ),
    Grant(
        "TellMissingFiles",
        (Verb.LOAD_ARTIFACT,),
        ("s3:ListBucket",),
        Resource.OWNERS_WORKSPACES_LISTING,
        "Without it S3 answers for a deleted file as for a forbidden one, and nobody could tell which it is.",
    ),
    Grant(
        "CopyFiles",
        (Verb.LOAD_ARTIFACT,),
        ("s3:PutObject", "s3:AbortMultipartUpload"),
        Resource.OWN_WORKSPACE,
        "A load into the workspace copies the pinned version there; a copy in parts that breaks off is taken back.",
    ),
    Grant(
        "WriteDerived",
        (Verb.REGISTER_ARTIFACT, Verb.PROFILE_ARTIFACT),
        ("s3:PutObject", "s3:AbortMultipartUpload"),
        Resource.OWNERS_DERIVED,
        "The full profile and the rows laid out for paging are written once, when a file is profiled; what was begun "
        "in parts and came to nothing is taken back.",
    ),
    Grant(
        "ReadDerivedProfile",
        (Verb.DESCRIBE_ARTIFACT,),
        ("s3:GetObject",),
        Resource.OWNERS_DERIVED,
        "The full profile is an object; the record holds only a part of it.",
    ),
    Grant(
        "ReadDerivedRows",
        (Verb.READ_ROWS, Verb.READ_COLUMNS),
        ("s3:GetObjectVersion",),
        Resource.OWNERS_DERIVED,
        "A page is cut from the rows as they were laid out at registration, at that version and no other.",
    ),
    Grant(
        "TellMissingDerived",
        (Verb.DESCRIBE_ARTIFACT, Verb.READ_ROWS, Verb.READ_COLUMNS),
        ("s3:ListBucket",),
        Resource.OWNERS_DERIVED_LISTING,
        "Without it S3 answers for a deleted object as for a forbidden one, and nobody could tell which it is.",
    ),
    Grant(
        "CreateRecords",
        (Verb.REGISTER_ARTIFACT,),
        ("dynamodb:PutItem", "dynamodb:ConditionCheckItem", "dynamodb:UpdateItem"),
        Resource.OWN_PARTITION,
        "Creates the record on condition that there is none and that nothing has ended, and remembers the request "
        "beside it; a profile that the service gave up is begun anew.",
    ),
    Grant(
        "AskForProfiles",
        (Verb.REGISTER_ARTIFACT,),
        ("sqs:SendMessage",),
        Resource.PROFILE_QUEUE,
        "A file that is too large for the call is profiled afterwards, and this message asks for it.",
    ),
    Grant(
        "WorkOffTheQueue",
        (Verb.PROFILE_ARTIFACT,),
        ("sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ChangeMessageVisibility"),
        Resource.PROFILE_QUEUE,
        "Lambda reads the queue as this function and deletes what it worked on; the function itself says when a "
        "message comes again.",
    ),
    Grant(
        "CompleteRecords",
        (Verb.PROFILE_ARTIFACT,),
        ("dynamodb:GetItem", "dynamodb:UpdateItem"),
        Resource.OWN_PARTITION,
        "Turns a record of the session in the message from profiling to ready or failed, on condition that it still "
        "is profiling.",
    ),
    Grant(
        "FollowTheTable",
        (Verb.PUBLISH_EVENTS,),
        ("dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator", "dynamodb:ListStreams"),
        Resource.RECORDS_STREAM,
        "Lambda reads the stream as this function: an event is made of what the table has taken, and of nothing else.",
    ),
    Grant(
        "TellEvents",
        (Verb.PUBLISH_EVENTS,),
        ("events:PutEvents",),
        Resource.EVENT_BUS,
        "What happened to an artifact, a conversation or a run is told on the stack's own bus.",
    ),
    Grant(
        "KeepWhatWasNotTold",
        (Verb.PUBLISH_EVENTS,),
        ("sqs:SendMessage",),
        Resource.EVENT_DEAD_LETTERS,
        "Lambda writes down, as this function, which changes could not be told after the last try.",
    ),
    Grant(
        "WorkOffAudits",
        (Verb.AUDIT_RECORDS,),
        (
            "sqs:ReceiveMessage",
            "sqs:DeleteMessage",
            "sqs:GetQueueAttributes",
            "sqs:ChangeMessageVisibility",
            "sqs:SendMessage",
        ),
        Resource.AUDIT_QUEUE,
        "Lambda reads the queue as this function, which says when a message comes again and sends the next page.",
    ),
    Grant(
        "FindAllRecords",
        (Verb.AUDIT_RECORDS,),
        ("dynamodb:Scan",),
        Resource.RECORDS_KEYS,
        "An audit of everything begins with the keys of all records; what is in one is read in its owner's name.",
    ),
    Grant(
        "FindAllOwners",
        (Verb.AUDIT_RECORDS,),
        ("s3:ListBucket",),
        Resource.OWNERS_NAMES,
        "Whose files there are is known by the first level of the bucket; they are listed in the owner's name.",
    ),
    Grant(
        "AuditFiles",
        (Verb.AUDIT_RECORDS,),
        ("s3:GetObject", "s3:GetObjectVersion"),
        Resource.OWNERS_WORKSPACES,
        "Whether the version that a record pins is there is known by its head, and S3 has no grant for that alone.",
    ),
    Grant(
        "AuditDerived",
        (Verb.AUDIT_RECORDS,),
        ("s3:GetObject", "s3:GetObjectVersion"),
        Resource.OWNERS_DERIVED,
        "Likewise of what was derived from it; a whole profile is pinned by its key alone.",
    ),
    Grant(
        "ListAuditedFiles",
        (Verb.AUDIT_RECORDS,),
        ("s3:ListBucket",),
        Resource.OWNERS_WORKSPACES_LISTING,
        "Tells a missing file from a forbidden one, and finds the files that no record tells of.",
    ),
    Grant(
        "TellMissingAudited",
        (Verb.AUDIT_RECORDS,),
        ("s3:ListBucket",),
        Resource.OWNERS_DERIVED_LISTING,
        "Without it S3 answers for a deleted object as for a forbidden one, and a record would never be missing.",
    ),
    Grant(
        "MarkRecords",
        (Verb.AUDIT_RECORDS,),
        ("dynamodb:GetItem", "dynamodb:Query", "dynamodb:UpdateItem"),
        Resource.OWNERS_PARTITIONS,
        "A record whose file is gone is missing from then on, on condition that it is as it was read.",
    ),
    Grant(
        "FindRecordsOfFiles",
        (Verb.AUDIT_RECORDS,),
        ("dynamodb:Query",),
        Resource.OWNERS_INDEX,
        "Sessions of a conversation write into one workspace, and their records are found by its index.",
    ),
    Grant(
        "WriteReports",
        (Verb.AUDIT_RECORDS,),
        ("s3:PutObject",),
        Resource.OWNERS_REPORTS,
        "What an audit found of an owner's files is kept where no node can write.",
    ),
    Grant(
        "ReadRecords",
        FINDERS,
        ("dynamodb:GetItem",),
        Resource.OWNERS_PARTITIONS,
        "A reference leads to one record, read consistently, in the partition of the session that made it.",
    ),
    Grant(
        "AddLineage",
        (Verb.LOAD_ARTIFACT,),
        ("dynamodb:PutItem", "dynamodb:ConditionCheckItem"),
        Resource.OWN_PARTITION,
        "That this session loaded an artifact is an item of its own, made on condition that nothing has ended.",
    ),
    Grant(
        "ListOwnSession",
        (Verb.LIST_ARTIFACTS,),
        ("dynamodb:Query",),
        Resource.OWN_PARTITION,
        "The caller's own session is listed from the table, where a record is visible at once.",
    ),
    Grant(
        "Find",
        (Verb.LIST_ARTIFACTS, *FINDERS),
        ("dynamodb:Query",),
        Resource.OWN_INDEXES,
        "What another session of the conversation or run registered is found through its index.",
    ),
    Grant(
        "FindSessionsWithoutLease",
        ENDING_VERBS,
        ("dynamodb:Query",),
        Resource.OWN_INDEXES,
        "Records of sessions that were opened before there were leases are found through their index.",
    ),
    Grant(
        "EndRecords",
        ENDING_VERBS,
        ("dynamodb:GetItem", "dynamodb:Query", "dynamodb:UpdateItem", "dynamodb:BatchWriteItem"),
        Resource.OWNERS_PARTITIONS,
        "The mark of the end, the leases and the records lie in partitions of their own, one for each session, whose "
        "ids no tag could name: which of the owner's they are, the leases tell.",
    ),
    Grant(
        "ListWhatIsLeft",
        ENDING_VERBS,
        ("s3:ListBucketVersions",),
        Resource.OWN_REMAINS_LISTING,
        "Every version and delete marker is found below the prefix of what ends.",
    ),
    Grant(
        "ListUnfinishedUploads",
        ENDING_VERBS,
        ("s3:ListBucketMultipartUploads",),
        Resource.UNFINISHED_UPLOADS,
        "They are found by the prefix of what ends. It would tell the keys of other owners' uploads as well, and lets "
        "nobody touch one: S3 can not narrow it.",
    ),
    Grant(
        "RemoveWhatIsLeft",
        ENDING_VERBS,
        ("s3:DeleteObjectVersion", "s3:AbortMultipartUpload"),
        Resource.OWN_REMAINS,
        "They are removed for good, version by version; a plain delete would leave them all and a marker on top.",
    ),
)


def grants_of(verb: Verb) -> tuple[Grant, ...]:
    """The rows of the table that are about ``verb``, in the table's order."""
    return tuple(grant for grant in GRANTS if verb in grant.verbs)


def grants_of_function(verb: Verb) -> tuple[Grant, ...]:
    """Those that the role of the verb's function holds, whoever calls."""
    return tuple(grant for grant in grants_of(verb) if grant.resource not in OF_CALLERS)


def grants_of_caller(verb: Verb) -> tuple[Grant, ...]:
    """Those that the verb's caller role holds, each narrowed to its session tags."""
    return tuple(grant for grant in grants_of(verb) if grant.resource in OF_CALLERS)
