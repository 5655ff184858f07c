"""The one table of permissions: which verb may do which action on which resource, and why.

Every role in the stack is generated from these rows, statement for row, and a test holds the synthesized
template to them in both directions. What is not written here, no function can do: none deletes a file or a
record (a worker takes off its queue the messages that it worked on), and only registering and profiling write what
readers read.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from session_datasets.domain.names import (
    CALLED_VERBS,
    CONVERSATION_INDEX,
    CONVERSATIONS_SEGMENT,
    DERIVED_PREFIX,
    RUN_INDEX,
    RUNS_SEGMENT,
    Verb,
)

# Key patterns inside the bucket. The star in front is the owner.
WORKSPACE_PATTERNS = (f"*/{CONVERSATIONS_SEGMENT}/*", f"*/{RUNS_SEGMENT}/*")
DERIVED_PATTERNS = (f"{DERIVED_PREFIX}/*",)
INDEXES = (CONVERSATION_INDEX, RUN_INDEX)


class Resource(StrEnum):
    """What a row of the table is about."""

    SIGNING_KEY = "signing key"
    WORKSPACES = "files in workspaces"
    WORKSPACE_LISTING = "listing of workspaces"  # the bucket itself, for prefixes inside workspaces only
    DERIVED = "derived objects"
    DERIVED_LISTING = "listing of derived objects"  # the bucket itself, for the derived prefix only
    RECORDS = "artifact records"
    INDEXES = "indexes of the records"
    PROFILE_QUEUE = "queue of profiles"


@dataclass(frozen=True)
class Grant:
    """One row: ``verbs`` may do ``actions`` on ``resource``, because of ``why``.

    ``name`` is the statement's Sid: letters and digits, unique for each verb.
    """

    name: str
    verbs: tuple[Verb, ...]
    actions: tuple[str, ...]
    resource: Resource
    why: str


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
        CALLED_VERBS,
        ("secretsmanager:GetSecretValue",),
        Resource.SIGNING_KEY,
        "Opening a session signs its token; every other verb verifies one before anything else.",
    ),
    Grant(
        "SignUploads",
        (Verb.PREPARE_UPLOAD,),
        ("s3:PutObject",),
        Resource.WORKSPACES,
        "A presigned upload, whole or in parts, can do no more than the function that signed it.",
    ),
    Grant(
        "RecogniseFiles",
        (Verb.PREPARE_UPLOAD,),
        ("s3:GetObject",),
        Resource.WORKSPACES,
        "A file that is there already, by the size and the sha256 of its head, is not uploaded again.",
    ),
    Grant(
        "ReadFiles",
        (Verb.REGISTER_ARTIFACT, Verb.PROFILE_ARTIFACT),
        ("s3:GetObject", "s3:GetObjectVersion"),
        Resource.WORKSPACES,
        "The service measures the file itself, at the version it pins.",
    ),
    Grant(
        "ReadAndCopyFiles",
        (Verb.LOAD_ARTIFACT,),
        ("s3:GetObject", "s3:GetObjectVersion", "s3:PutObject", "s3:AbortMultipartUpload"),
        Resource.WORKSPACES,
        "It signs downloads of the pinned version, and copies it into the caller's workspace; a copy in parts "
        "that breaks off is taken back.",
    ),
    Grant(
        "NameNearFiles",
        (Verb.REGISTER_ARTIFACT, Verb.LOAD_ARTIFACT),
        ("s3:ListBucket",),
        Resource.WORKSPACE_LISTING,
        "Tells a missing file from a forbidden one, and names the files that are there instead.",
    ),
    Grant(
        "WriteDerived",
        (Verb.REGISTER_ARTIFACT, Verb.PROFILE_ARTIFACT),
        ("s3:PutObject", "s3:AbortMultipartUpload"),
        Resource.DERIVED,
        "The full profile and the rows laid out for paging are written once, when a file is profiled; what was begun "
        "in parts and came to nothing is taken back.",
    ),
    Grant(
        "ReadDerivedProfile",
        (Verb.DESCRIBE_ARTIFACT,),
        ("s3:GetObject",),
        Resource.DERIVED,
        "The full profile is an object; the record holds only a part of it.",
    ),
    Grant(
        "ReadDerivedRows",
        (Verb.READ_ROWS, Verb.READ_COLUMNS),
        ("s3:GetObjectVersion",),
        Resource.DERIVED,
        "A page is cut from the rows as they were laid out at registration, at that version and no other.",
    ),
    Grant(
        "TellMissingDerived",
        (Verb.DESCRIBE_ARTIFACT, Verb.READ_ROWS, Verb.READ_COLUMNS),
        ("s3:ListBucket",),
        Resource.DERIVED_LISTING,
        "Without it S3 answers for a deleted object as for a forbidden one, and nobody could tell which it is.",
    ),
    Grant(
        "CreateRecords",
        (Verb.REGISTER_ARTIFACT,),
        ("dynamodb:GetItem", "dynamodb:PutItem"),
        Resource.RECORDS,
        "Creates the record on condition that there is none, and answers a repeated registration with it.",
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
        ("dynamodb:GetItem", "dynamodb:PutItem"),
        Resource.RECORDS,
        "Turns a record from profiling to ready or failed, on condition that it still is profiling.",
    ),
    Grant(
        "ReadRecords",
        (Verb.DESCRIBE_ARTIFACT, Verb.READ_ROWS, Verb.READ_COLUMNS),
        ("dynamodb:GetItem",),
        Resource.RECORDS,
        "A reference leads to one record, read consistently.",
    ),
    Grant(
        "ReadRecordsAndAddLineage",
        (Verb.LOAD_ARTIFACT,),
        ("dynamodb:GetItem", "dynamodb:PutItem"),
        Resource.RECORDS,
        "A reference leads to one record; that it was loaded is an item of its own beside it.",
    ),
    Grant(
        "ListOwnSession",
        (Verb.LIST_ARTIFACTS,),
        ("dynamodb:Query",),
        Resource.RECORDS,
        "The caller's own session is listed from the table, where a record is visible at once.",
    ),
    Grant(
        "FindByConversationAndRun",
        (Verb.LIST_ARTIFACTS, *FINDERS),
        ("dynamodb:Query",),
        Resource.INDEXES,
        "What another session of the conversation or run registered is found through its index.",
    ),
)


def grants_of(verb: Verb) -> tuple[Grant, ...]:
    """The rows of the table that are about ``verb``, in the table's order."""
    return tuple(grant for grant in GRANTS if verb in grant.verbs)
