"""What bucket and table hold, whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

Item = dict[str, dict[str, Any]]


class Stores(Protocol):
    bucket: str
    table: str

    @property
    def s3(self) -> Any: ...

    @property
    def dynamodb(self) -> Any: ...


def items(cloud: Stores, prefix: str = "") -> list[Item]:
    """Everything in the table whose sort key begins so; ``art_`` are the records."""
    pages = cloud.dynamodb.get_paginator("scan").paginate(TableName=cloud.table, ConsistentRead=True)
    found = [item for page in pages for item in page["Items"] if item["artifact_id"]["S"].startswith(prefix)]
    return sorted(found, key=lambda item: item["artifact_id"]["S"])


def records_of(cloud: Stores, session_id: str) -> Sequence[str]:
    """Ids of the records that this session made."""
    own = [item for item in items(cloud, "art_") if session_id in str(item)]
    return [item["artifact_id"]["S"] for item in own]


def keys(cloud: Stores, prefix: str = "") -> list[str]:
    """Keys of the objects that are there, each once."""
    pages = cloud.s3.get_paginator("list_objects_v2").paginate(Bucket=cloud.bucket, Prefix=prefix)
    return sorted(each["Key"] for page in pages for each in page.get("Contents", []))
