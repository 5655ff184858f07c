"""What lies in the stores, looked at from outside, to be compared with the model."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from boto3.dynamodb.types import TypeDeserializer

from session_datasets.domain.artifact import ARTIFACT_ID_PREFIX
from session_datasets.domain.names import DERIVED_PREFIX, PARTITION_KEY, SORT_KEY, SUMMARY_ATTRIBUTE
from tests.model.world import GIVEN_UP, MISSING, Record, World

_REQUEST = "request#"
_deserialize = TypeDeserializer().deserialize

# Owner, session, key, version, name, description, status.
Told = tuple[str, ...]


@dataclass(frozen=True)
class Seen:
    """``versions`` of the nodes' files, ``newest`` of each of their keys, and what the table says of records and
    request tokens."""

    versions: frozenset[tuple[str, str]]
    newest: Mapping[str, str | None]
    records: Mapping[str, Told]
    requests: Mapping[tuple[str, str], str]

    def differences(self, world: World) -> list[str]:
        """In which ways this is not the world; empty when it is."""
        versions = {(key, each) for key, all_of_it in world.files.items() for each in all_of_it if each is not None}
        # That a registered version is gone may be known, or not yet.
        records = {known: _told(record) for known, record in world.records.items()}
        for known, told in self.records.items():
            if told[-1] == MISSING and known in records and not world.there(world.records[known]):
                records[known] = (*records[known][:-1], MISSING)
        pairs: list[tuple[str, Any, Any]] = [
            ("versions", versions, self.versions),
            ("newest versions", {key: world.newest(key) for key in world.files}, self.newest),
            ("records", records, self.records),
            (
                "request tokens",
                {(who.session, token): known for (who, token), (_, known) in world.requests.items()},
                self.requests,
            ),
        ]
        return [f"{what}: expected {expected}, found {found}" for what, expected, found in pairs if expected != found]


def look(s3: Any, dynamodb: Any, bucket: str, table: str, owners: frozenset[str]) -> Seen:
    """The stores of these owners; fails at half a record, or one whose derived objects are not all there."""
    files = list(_versions(s3, bucket))
    derived = {(each["Key"], each["VersionId"]) for each in files if each["Key"].startswith(f"{DERIVED_PREFIX}/")}
    own = [each for each in files if each["Key"].split("/", 1)[0] in owners]
    records: dict[str, Told] = {}
    requests: dict[tuple[str, str], str] = {}
    for item in _items(dynamodb, table):
        owner, *within = item[PARTITION_KEY].split("#")
        if owner not in owners or len(within) != 1:
            continue
        (session,) = within
        if item[SORT_KEY].startswith(ARTIFACT_ID_PREFIX):
            assert item[SORT_KEY] not in records, "one id, two records"
            records[item[SORT_KEY]] = _whole(item, owner, session, derived)
        elif item[SORT_KEY].startswith(_REQUEST):
            requests[session, item[SORT_KEY].removeprefix(_REQUEST)] = item["led_to"]
    return Seen(
        frozenset((each["Key"], each["VersionId"]) for each in own if not each["marker"]),
        {each["Key"]: None if each["marker"] else each["VersionId"] for each in own if each["IsLatest"]},
        records,
        requests,
    )


def _whole(item: dict[str, Any], owner: str, session: str, derived: set[tuple[str, str]]) -> Told:
    """Of one record; its parts agree with each other, and what it points at is there."""
    document, summary = json.loads(item["document"]), item[SUMMARY_ATTRIBUTE]
    assert (document["scope"]["owner"], document["scope"]["session_id"]) == (owner, session)
    agreed = ("artifact_id", "name", "description", "status", "kind", "format")
    assert {name: document[name] for name in agreed} == {name: summary[name] for name in agreed}
    status, layout, location = document["status"], document["layout"], document["location"]
    objects = layout["objects"].values() if layout else ()
    lost = {(each["key"], each["version_id"]) for each in objects} - derived
    assert not lost, f"a record without its derived objects: {lost}"
    if status == "failed" and document["failure"]["code"] == "internal":
        status = GIVEN_UP
    return owner, session, location["key"], location["version_id"], document["name"], document["description"], status


def _told(record: Record) -> Told:
    by = record.by
    return by.owner, by.session, record.key, record.version, record.name, record.description, record.status


def _versions(s3: Any, bucket: str) -> Iterator[dict[str, Any]]:
    for page in s3.get_paginator("list_object_versions").paginate(Bucket=bucket):
        yield from ({**each, "marker": False} for each in page.get("Versions", []))
        yield from ({**each, "marker": True} for each in page.get("DeleteMarkers", []))


def _items(dynamodb: Any, table: str) -> Iterator[dict[str, Any]]:
    for page in dynamodb.get_paginator("scan").paginate(TableName=table, ConsistentRead=True):
        for item in page["Items"]:
            yield {name: _deserialize(value) for name, value in item.items()}
