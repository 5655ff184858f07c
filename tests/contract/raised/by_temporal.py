"""What Temporal is told of a payload that did not cross: its type, and whether it may be tried again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from temporalio.api.common.v1 import Payload
from temporalio.converter import StorageDriverClaim, StorageDriverRetrieveContext, StorageDriverStoreContext
from temporalio.exceptions import ApplicationError

from session_datasets.boundary.references import FolderStore, WorkspaceStore
from session_datasets.boundary.references.stores import Store
from session_datasets.boundary.temporal import failures
from session_datasets.boundary.temporal.driver import MAX_PAYLOAD_BYTES, ArtifactStorageDriver
from session_datasets.client.transport import InProcessTransport
from session_datasets.client.workspace import Workspace
from session_datasets.domain.names import Verb
from tests.contract.raised.showing import Examples, Place, raised

EXAMPLES = Examples({})
_PAYLOAD = Payload(metadata={"encoding": b"json/plain"}, data=b'"' + b"x" * 100_000 + b'"')


def _of(kind: str) -> Callable[[Callable[[Place], object]], None]:
    def keep(scenario: Callable[[Place], object]) -> None:
        def shown(place: Place) -> str:
            error = raised(ApplicationError, scenario, place)
            assert error.type == kind
            return f"{error.message}\nRetried: {'no' if error.non_retryable else 'yes'}"

        EXAMPLES.told(kind, shown)

    return keep


def _stored(store: Store, max_payload_bytes: int = MAX_PAYLOAD_BYTES) -> StorageDriverClaim:
    driver = ArtifactStorageDriver(lambda: store, max_payload_bytes=max_payload_bytes)
    return asyncio.run(driver.store(StorageDriverStoreContext(), [_PAYLOAD]))[0]


def _retrieved(store: Store, claim: StorageDriverClaim) -> None:
    asyncio.run(ArtifactStorageDriver(lambda: store).retrieve(StorageDriverRetrieveContext(), [claim]))


def _retrieved_after(place: Place, change: Callable[[Path], object]) -> None:
    store = FolderStore(place.folder)
    claim = _stored(store)
    for file in place.folder.iterdir():
        change(file)
    _retrieved(store, claim)


def _of_run(place: Place, run_id: str) -> WorkspaceStore:
    return WorkspaceStore(place.cloud.open(run_id=run_id, directory=place.folder))


@_of(failures.GONE)
def gone(place: Place) -> None:
    _retrieved_after(place, Path.unlink)


@_of(failures.CHANGED)
def changed(place: Place) -> None:
    _retrieved_after(place, lambda file: file.write_bytes(b"0" * len(_PAYLOAD.data)))


@_of(failures.TOO_LARGE)
def too_large(place: Place) -> None:
    _stored(FolderStore(place.folder), max_payload_bytes=50_000)


@_of(failures.NOT_KEPT)
def not_kept(place: Place) -> None:
    store = _of_run(place, "run-1")
    place.cloud.orchestrator().end_run("run-1", owner="acme", release_leases=True)
    _stored(store)


@_of(failures.NOT_REACHABLE)
def not_reachable(place: Place) -> None:
    _retrieved(_of_run(place, "run-2"), _stored(_of_run(place, "run-1")))


@_of(failures.NOT_UNDERSTOOD)
def not_understood(place: Place) -> None:
    store = FolderStore(place.folder)
    claim = _stored(store)
    _retrieved(store, replace(claim, claim_data={**claim.claim_data, "claim": "2"}))


@_of(failures.STORE_FAILED)
def store_failed(place: Place) -> None:
    def serve(verb: Verb, body: object) -> object:
        raise ConnectionResetError("Connection reset by peer")

    token = place.cloud.open(run_id="run-1").token
    _stored(WorkspaceStore(Workspace(token, InProcessTransport(serve), place.folder)))  # type: ignore[arg-type]
