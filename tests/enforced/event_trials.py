"""One trial for each statement of the two roles that work for nobody's call: ``publish_events``, ``audit_records``.

Records are handed to the functions by hand. What only Lambda does as the function, reading the stream and writing dead
letters, is tried below the door with its credentials.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from session_datasets.domain.names import PARTITION_KEY, SORT_KEY, Verb
from session_datasets.storage import keys
from tests.enforced.trying import (
    Opened,
    Trial,
    Try,
    allowed,
    delivered,
    in_conversation,
    in_run,
    message,
    new,
    new_body,
)
from tests.support.enforced_cloud import EnforcedCloud
from tests.support.sessions import Answer

# --- telling of events -----------------------------------------------------------------------------------


def _tell(cloud: EnforcedCloud) -> Try:
    """That a run has ended, as the stream of the table tells it."""
    run = new("run")
    mark = {"owner": "acme", "kind": "run", "id": run, "ended_at": "2026-11-30T12:00:00+00:00"}
    change = {
        "eventName": "INSERT",
        "dynamodb": {
            "Keys": {PARTITION_KEY: {"S": f"acme#runs#{run}"}, SORT_KEY: {"S": keys.SCOPE_SORT_KEY}},
            "NewImage": {name: {"S": value} for name, value in mark.items()},
            "ApproximateCreationDateTime": 1796040000.0,
            "SequenceNumber": "100000000000000000001",
        },
    }
    return delivered(cloud, Verb.PUBLISH_EVENTS, change)


def _follow(cloud: EnforcedCloud) -> Try:
    """Finds the stream's beginning and reads there."""
    streams = cloud.as_function(Verb.PUBLISH_EVENTS).client("dynamodbstreams")
    stream = {"StreamArn": cloud.stack.outputs["RecordsStreamArn"]}

    def read() -> None:
        (shard,) = streams.describe_stream(**stream)["StreamDescription"]["Shards"]
        begins = {"ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
        streams.get_records(ShardIterator=streams.get_shard_iterator(**stream, **begins)["ShardIterator"], Limit=1)

    return partial(allowed, read)


def _keep(cloud: EnforcedCloud) -> Try:
    """Takes the letter back: whoever tells of dead letters again would find no change by it."""
    letters = {"QueueUrl": cloud.stack.outputs["EventDeadLettersUrl"]}
    own, account = cloud.as_function(Verb.PUBLISH_EVENTS).client("sqs"), cloud.client("sqs")

    def attempt() -> bool:
        if not allowed(own.send_message, **letters, MessageBody="tried"):
            return False
        (kept,) = account.receive_message(**letters)["Messages"]
        account.delete_message(**letters, ReceiptHandle=kept["ReceiptHandle"])
        return bool(kept["Body"] == "tried")

    return attempt


# --- auditing --------------------------------------------------------------------------------------------


def _audit_file(opened: Opened, cloud: EnforcedCloud) -> Try:
    """S3 said that something became of a registered file, and it is looked at; it is as it was."""
    registered = opened(cloud).register(body=new_body())["reference"]
    return delivered(cloud, Verb.AUDIT_RECORDS, _deleted(cloud, registered))


def _mark(cloud: EnforcedCloud) -> Try:
    """Likewise, and it is gone; the record says so from then on."""
    session = in_run(cloud)
    registered = session.register(body=new_body())["reference"]
    cloud.s3.delete_object(Bucket=cloud.bucket, Key=registered["key"], VersionId=registered["version_id"])
    audit = delivered(cloud, Verb.AUDIT_RECORDS, _deleted(cloud, registered))
    return lambda: audit() and session.call("describe_artifact", reference=registered)["status"] == "missing"


def _deleted(cloud: EnforcedCloud, reference: Answer) -> Answer:
    file = {"key": reference["key"], "version-id": reference["version_id"]}
    detail = {"bucket": {"name": cloud.bucket}, "object": file}
    return message({"source": "aws.s3", "detail-type": "Object Deleted", "detail": detail})


Sweep = Callable[[], Answer]


def _all_records() -> Answer:
    """The page behind the last record of any owner."""
    return {"phase": "records", "position": {PARTITION_KEY: "~", SORT_KEY: "~"}}


def _first_files() -> Answer:
    """A page that is not its owner's last, so the next one is sent. The owner is nobody's, and the last of all."""
    return {"phase": "files", "owner": new("zz")}


def _last_files() -> Answer:
    """The last page of an owner's files, after which the report is written and the next owner is looked for."""
    owner = new("zz")
    return {"phase": "files", "owner": owner, "position": {"below": keys.owners_prefixes(owner)[1]}}


def _sweep(page: Sweep, cloud: EnforcedCloud) -> Try:
    return delivered(cloud, Verb.AUDIT_RECORDS, message({"v": 1, "sweep": page()}))


# --- which needs what ------------------------------------------------------------------------------------

EVENT_TRIALS: dict[str, Trial] = {
    "FollowTheTable": _follow,
    "TellEvents": _tell,
    "KeepWhatWasNotTold": _keep,
}

AUDIT_TRIALS: dict[str, Trial] = {
    # An owner of its own: a warm process has no credentials for it yet.
    "ActForCallers": partial(_sweep, _last_files),
    "WorkOffAudits": partial(_sweep, _first_files),
    "FindAllRecords": partial(_sweep, _all_records),
    "FindAllOwners": partial(_sweep, _last_files),
    "AuditFiles": partial(_audit_file, in_run),
    "AuditDerived": partial(_audit_file, in_run),
    "ListAuditedFiles": partial(_sweep, _last_files),
    "MarkRecords": _mark,
    "FindRecordsOfFiles": partial(_audit_file, in_conversation),
    "WriteReports": partial(_sweep, _last_files),
}
