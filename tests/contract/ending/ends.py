"""Ends as an orchestrator asks for them, and what is there before and after."""

from __future__ import annotations

from typing import Any

from session_datasets.domain.names import PARTITION_KEY, SORT_KEY
from tests.support.moto_cloud import MotoCloud
from tests.support.sessions import Answer

BODY = b"a,b\n1,x\n2,y\n"
NOTHING = {"artifacts", "artifacts_kept", "notes", "derived_objects", "file_versions", "uploads", "bytes"}


def end_run(cloud: MotoCloud, run_id: str = "run-1", **more: Any) -> Answer:
    return cloud.call("end_run", {"owner": "acme", "run_id": run_id, "release_leases": True, **more})


def end_conversation(cloud: MotoCloud, conversation_id: str = "talk-1", **more: Any) -> Answer:
    asked = {"owner": "acme", "conversation_id": conversation_id, "release_leases": True}
    return cloud.call("end_conversation", {**asked, **more})


def removed(answer: Answer) -> dict[str, int]:
    """The counts that are not 0, of an end that is done."""
    assert answer["done"], answer
    return {name: count for name, count in answer["removed"].items() if count}


def objects(cloud: MotoCloud, prefix: str = "") -> list[str]:
    """Keys of all versions and delete markers."""
    listed = cloud.s3.list_object_versions(Bucket=cloud.bucket, Prefix=prefix)
    return [each["Key"] for each in [*listed.get("Versions", []), *listed.get("DeleteMarkers", [])]]


def items(cloud: MotoCloud) -> list[tuple[str, str]]:
    """Partition and sort key of everything in the table."""
    return sorted(
        (item[PARTITION_KEY]["S"], item[SORT_KEY]["S"])
        for item in cloud.dynamodb.scan(TableName=cloud.table, ConsistentRead=True)["Items"]
    )
