"""Where commands run: on an account in memory, which can be disturbed, or on moto or a deployed stack as they are."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

import urllib3
from botocore.exceptions import ClientError

from session_datasets.domain.limits import PROFILED_AT_ONCE_BYTES_MAX
from session_datasets.runtime.wiring import Wired
from session_datasets.storage.profile_queue import task_of
from tests.model.bodies import AT_ONCE_BYTES
from tests.model.memory.cloud import MemoryCloud
from tests.model.seen import Seen, look
from tests.support.deployed_cloud import DeployedCloud
from tests.support.moto_cloud import MotoCloud

Answer = dict[str, Any]


@dataclass(frozen=True)
class Message:
    """``attempt`` counts its deliveries from 1."""

    artifact_id: str
    attempt: int
    record: dict[str, Any]


class Place(Protocol):
    """``is_plain``: nothing can be disturbed, and no index lags. ``at_once_bytes``: of a file that is profiled at once,
    in bytes."""

    is_plain: bool
    at_once_bytes: int

    def call(self, verb: str, body: Answer) -> Answer: ...

    def calm(self) -> None:
        """What the running command does from now on is undisturbed."""

    def forget(self) -> None:
        """A minute passes: what was removed is not remembered anywhere, by no process and by no index."""

    def put(self, key: str, data: bytes) -> str: ...

    def delete(self, key: str, version: str | None) -> None: ...

    def send(self, plan: Answer, data: bytes) -> str:
        """The version that an upload as planned makes."""

    def fetch(self, download: Answer) -> bytes | None: ...

    def stored(self, key: str, version: str) -> bytes | None: ...

    def take(self) -> Message | None:
        """The next visible message of the queue of profiles."""

    def deliver(self, message: Message) -> bool:
        """Hands it to the function; whether it is to come again."""

    def see(self, owners: frozenset[str]) -> Seen: ...


class MemoryPlace:
    """Two processes answer calls; each has a memory of its own, and is replaced when it dies."""

    is_plain = False
    at_once_bytes = AT_ONCE_BYTES

    def __init__(self, cloud: MemoryCloud) -> None:
        self.cloud = cloud
        self._processes: list[Wired] = []
        for _ in range(2):
            cloud.restart()
            self._processes.append(cloud.wired)

    @property
    def table(self) -> Any:
        return self.cloud.account.dynamodb.tables[self.cloud.table]

    def catch_up(self, ids: set[str]) -> None:
        """The indexes hear of the present state of these records."""
        self.table.catch_up(key for key in self.table.lagging() if key[1] in ids)

    def answered_by_another(self) -> None:
        """From now on, the other process answers."""
        self.cloud.wired = self._processes[1 - self._processes.index(self.cloud.wired)]

    def died(self) -> None:
        """The process that answers; there is a new one for it."""
        place = self._processes.index(self.cloud.wired)
        self.cloud.restart()
        self._processes[place] = self.cloud.wired

    def call(self, verb: str, body: Answer) -> Answer:
        return self.cloud.call(verb, body)

    def calm(self) -> None:
        self.cloud.steps.calm()

    def forget(self) -> None:
        self.cloud.account.clock.go_on(61)
        self.table.catch_up(self.table.lagging())

    def put(self, key: str, data: bytes) -> str:
        put: str = self.cloud.s3.put_object(Bucket=self.cloud.bucket, Key=key, Body=data)["VersionId"]
        return put

    def delete(self, key: str, version: str | None) -> None:
        _delete(self.cloud, key, version)

    def send(self, plan: Answer, data: bytes) -> str:
        sent = self.cloud.account.request("PUT", plan["put"]["url"], plan["put"]["headers"], data)
        return sent.headers["x-amz-version-id"]

    def fetch(self, download: Answer) -> bytes | None:
        got = self.cloud.account.request("GET", download["url"], download["headers"])
        return got.data if got.status == 200 else None

    def stored(self, key: str, version: str) -> bytes | None:
        versions = self.cloud.account.s3.buckets[self.cloud.bucket].get(key, [])
        return next((each.body for each in versions if each.version_id == version), None)

    def take(self) -> Message | None:
        record = None
        with suppress(ClientError):
            record = self.cloud.take_message()
        if record is None:
            return None
        return Message(
            task_of(record["body"]).artifact_id, int(record["attributes"]["ApproximateReceiveCount"]), record
        )

    def deliver(self, message: Message) -> bool:
        with suppress(ClientError):
            return bool(self.cloud.deliver(message.record)["batchItemFailures"])
        # Done, and not deleted.
        return True

    def see(self, owners: frozenset[str]) -> Seen:
        return look(self.cloud.s3, self.cloud.dynamodb, self.cloud.bucket, self.cloud.table, owners)


class PlainPlace:
    """All files are small enough to be profiled at once, so that nothing goes on when an answer has come."""

    is_plain = True
    at_once_bytes = PROFILED_AT_ONCE_BYTES_MAX

    def __init__(self, cloud: DeployedCloud | MotoCloud) -> None:
        self.cloud = cloud

    def call(self, verb: str, body: Answer) -> Answer:
        return self.cloud.call(verb, body)

    def calm(self) -> None: ...

    def forget(self) -> None:
        raise NotImplementedError("nobody waits a minute here")

    def put(self, key: str, data: bytes) -> str:
        put: str = self.cloud.s3.put_object(Bucket=self.cloud.bucket, Key=key, Body=data)["VersionId"]
        return put

    def delete(self, key: str, version: str | None) -> None:
        _delete(self.cloud, key, version)

    def send(self, plan: Answer, data: bytes) -> str:
        sent = urllib3.request("PUT", plan["put"]["url"], body=data, headers=plan["put"]["headers"])
        return sent.headers["x-amz-version-id"]

    def fetch(self, download: Answer) -> bytes | None:
        got = urllib3.request("GET", download["url"], headers=download["headers"])
        return got.data if got.status == 200 else None

    def stored(self, key: str, version: str) -> bytes | None:
        got: bytes = self.cloud.s3.get_object(Bucket=self.cloud.bucket, Key=key, VersionId=version)["Body"].read()
        return got

    def take(self) -> Message | None:
        return None

    def deliver(self, message: Message) -> bool:
        raise NotImplementedError

    def see(self, owners: frozenset[str]) -> Seen:
        return look(self.cloud.s3, self.cloud.dynamodb, self.cloud.bucket, self.cloud.table, owners)


def _delete(cloud: Any, key: str, version: str | None) -> None:
    cloud.s3.delete_object(Bucket=cloud.bucket, Key=key, **({"VersionId": version} if version else {}))
