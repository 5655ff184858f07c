"""Temporal's own interface for payloads that are kept elsewhere, on a store of references."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Callable, Mapping, Sequence

from temporalio.api.common.v1 import Payload
from temporalio.converter import (
    StorageDriver,
    StorageDriverClaim,
    StorageDriverRetrieveContext,
    StorageDriverStoreContext,
)

from session_datasets.boundary.references import Store, load_bytes, save_bytes
from session_datasets.boundary.references.pointer import Pointer
from session_datasets.boundary.temporal import failures
from session_datasets.domain.limits import MIB

NAME = "session-datasets"
CLAIM_VERSION = "1"
MAX_PAYLOAD_BYTES = 256 * MIB
# Of every artifact that is made; what tells them apart is the hash in the file's name.
_ARTIFACT_NAME = "temporal-payload"


class ArtifactStorageDriver(StorageDriver):
    """Keeps a payload's data behind a reference; its metadata stays in the claim beside that.

    The data alone is the file, so a JSON array of objects is an artifact whose rows can be paged. A claim follows from
    the payload and from where the store keeps it, and from no clock or chance: a replay that stores again finds what
    is there. ``store`` is asked for at every payload.
    """

    def __init__(
        self, store: Callable[[], Store], *, max_payload_bytes: int = MAX_PAYLOAD_BYTES, name: str = NAME
    ) -> None:
        self._store = store
        self._max_payload_bytes = max_payload_bytes
        self._name = name

    def name(self) -> str:
        return self._name

    def type(self) -> str:
        return NAME

    async def store(self, context: StorageDriverStoreContext, payloads: Sequence[Payload]) -> list[StorageDriverClaim]:
        return await asyncio.gather(*(asyncio.to_thread(self._put, each) for each in payloads))

    async def retrieve(
        self, context: StorageDriverRetrieveContext, claims: Sequence[StorageDriverClaim]
    ) -> list[Payload]:
        return await asyncio.gather(*(asyncio.to_thread(self._get, each.claim_data) for each in claims))

    def _put(self, payload: Payload) -> StorageDriverClaim:
        size = len(payload.data)
        if size > self._max_payload_bytes:
            raise failures.too_large(size, self._max_payload_bytes)
        with failures.told_to_temporal(f"A payload of {size:,} bytes was not kept"):
            reference = save_bytes(payload.data, self._store(), name=_ARTIFACT_NAME)
        metadata = {name: base64.b64encode(value).decode("ascii") for name, value in payload.metadata.items()}
        return StorageDriverClaim({"claim": CLAIM_VERSION, "reference": _text(reference), "metadata": _text(metadata)})

    def _get(self, claim: Mapping[str, str]) -> Payload:
        if claim.get("claim") != CLAIM_VERSION:
            raise failures.payload_error(
                failures.NOT_UNDERSTOOD,
                f"A payload's reference has version {claim.get('claim', 'none')[:20]!r}, and this worker knows "
                f"{CLAIM_VERSION!r}. Deploy the version of session-datasets that wrote it.",
            )
        try:
            reference = json.loads(claim["reference"])
            metadata = {
                name: base64.b64decode(value, validate=True) for name, value in json.loads(claim["metadata"]).items()
            }
            payload = Payload(metadata=metadata)
        except (LookupError, ValueError, TypeError, AttributeError, RecursionError) as error:
            raise failures.payload_error(
                failures.NOT_UNDERSTOOD,
                "A payload's claim has no reference and metadata as this driver writes them, so nothing was fetched. "
                "Deploy the version of session-datasets that wrote it.",
            ) from error
        with failures.told_to_temporal("A payload was not fetched"):
            size = Pointer.of(reference).size
            if size > self._max_payload_bytes:
                raise failures.payload_error(
                    failures.TOO_LARGE,
                    f"A payload of {size:,} bytes was not fetched: this worker takes up to "
                    f"{self._max_payload_bytes:,}. Pass the max_payload_bytes of the sender to its plugin, too.",
                )
            payload.data = load_bytes(reference, self._store())
        return payload


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))
