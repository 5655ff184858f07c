"""The storage driver: the same payload, the same claim; and each failure says whether trying again helps."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from temporalio.api.common.v1 import Payload
from temporalio.api.failure.v1 import Failure
from temporalio.converter import (
    DefaultPayloadConverter,
    StorageDriverClaim,
    StorageDriverRetrieveContext,
    StorageDriverStoreContext,
)
from temporalio.exceptions import ApplicationError

from session_datasets.boundary.references import FolderStore
from session_datasets.boundary.references import errors as references
from session_datasets.boundary.temporal.driver import ArtifactStorageDriver
from session_datasets.boundary.temporal.failures import PayloadFailureConverter, payload_error, told_to_temporal
from session_datasets.client import errors
from session_datasets.domain.errors import Problem, ProblemCode
from session_datasets.wire.problem import ProblemModel

PAYLOAD = Payload(metadata={"encoding": b"binary/plain", "raw": b"\x00\xff"}, data=b"\x00rows" * 1_000)


def stored(driver: ArtifactStorageDriver, *payloads: Payload) -> list[StorageDriverClaim]:
    return asyncio.run(driver.store(StorageDriverStoreContext(), payloads))


def retrieved(driver: ArtifactStorageDriver, *claims: StorageDriverClaim) -> list[Payload]:
    return asyncio.run(driver.retrieve(StorageDriverRetrieveContext(), claims))


@pytest.fixture
def driver(tmp_path: Path) -> ArtifactStorageDriver:
    return ArtifactStorageDriver(lambda: FolderStore(tmp_path), max_payload_bytes=10_000)


def test_data_and_metadata_come_back(driver: ArtifactStorageDriver) -> None:
    other = Payload(metadata={"encoding": b"json/plain"}, data=b"[1]")
    assert retrieved(driver, *stored(driver, PAYLOAD, other)) == [PAYLOAD, other]


def test_the_same_payload_has_the_same_claim_and_the_same_file(driver: ArtifactStorageDriver, tmp_path: Path) -> None:
    assert stored(driver, PAYLOAD) == stored(driver, PAYLOAD)
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [PAYLOAD.data]


def test_a_claim_holds_a_reference_and_none_of_the_data(driver: ArtifactStorageDriver) -> None:
    [claim] = stored(driver, PAYLOAD)
    reference = json.loads(claim.claim_data["reference"])
    assert reference["$dataset"]["bytes"] == 5_000
    assert len(json.dumps(dict(claim.claim_data))) < 600


def test_the_largest_payload_is_taken_and_one_byte_more_is_not(driver: ArtifactStorageDriver) -> None:
    assert stored(driver, Payload(data=b"x" * 10_000))
    with pytest.raises(ApplicationError, match="10,001 bytes was not sent") as refused:
        stored(driver, Payload(data=b"x" * 10_001))
    assert (refused.value.type, refused.value.non_retryable) == ("PayloadTooLarge", True)


def test_a_claim_of_a_later_version_waits_for_the_worker_that_knows_it(driver: ArtifactStorageDriver) -> None:
    [claim] = stored(driver, PAYLOAD)
    later = StorageDriverClaim({**claim.claim_data, "claim": "2"})
    with pytest.raises(ApplicationError, match="Deploy the version") as refused:
        retrieved(driver, later)
    assert (refused.value.type, refused.value.non_retryable) == ("PayloadNotUnderstood", False)


def test_a_claim_with_a_field_of_a_later_version_is_read(driver: ArtifactStorageDriver) -> None:
    [claim] = stored(driver, PAYLOAD)
    assert retrieved(driver, StorageDriverClaim({**claim.claim_data, "newer": "x"})) == [PAYLOAD]


def refused(code: ProblemCode) -> errors.ProblemError:
    return errors.error_of(ProblemModel.of(Problem(code, "no", "do"), "request-1"))


@pytest.mark.parametrize(
    ("raised", "kind", "final"),
    [
        (references.MissingReferenceError("gone"), "PayloadGone", True),
        (references.ChangedReferenceError("changed"), "PayloadChanged", True),
        (references.UnreachableReferenceError("no such"), "PayloadNotReachable", False),
        (references.OutsideReferenceError("outside"), "PayloadNotReachable", False),
        (references.WrongStoreError("wrong store"), "PayloadNotReachable", False),
        (references.MalformedReferenceError("newer"), "PayloadNotUnderstood", False),
        (refused(ProblemCode.ENDED), "PayloadNotKept", True),
        (refused(ProblemCode.UNREADABLE_FILE), "PayloadNotKept", True),
        (refused(ProblemCode.TOO_LARGE), "PayloadTooLarge", True),
        (refused(ProblemCode.TOKEN_EXPIRED), "PayloadNotReachable", False),
        (refused(ProblemCode.VERB_NOT_ALLOWED), "PayloadNotReachable", False),
        (refused(ProblemCode.UNAVAILABLE), "PayloadStoreFailed", False),
        (errors.LostAnswerError("lost"), "PayloadStoreFailed", False),
        (errors.TransferError("cut"), "PayloadStoreFailed", False),
        (OSError("disk"), "PayloadStoreFailed", False),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else None,
)
def test_each_failure_has_a_type_and_says_whether_trying_again_helps(raised: Exception, kind: str, final: bool) -> None:
    with (
        pytest.raises(ApplicationError, match="A payload was not fetched") as told,
        told_to_temporal("A payload was not fetched"),
    ):
        raise raised
    assert (told.value.type, told.value.non_retryable, told.value.__cause__) == (kind, final, raised)


@pytest.mark.parametrize(
    ("kind", "final"), [("PayloadGone", True), ("PayloadNotReachable", False), ("TheProgramsOwn", False)]
)
def test_what_wraps_a_payloads_failure_is_retried_only_if_that_helps(kind: str, final: bool) -> None:
    wrapping = ApplicationError("Failed decoding arguments")
    wrapping.__cause__ = payload_error(kind, "x")
    failure = Failure()
    PayloadFailureConverter().to_failure(wrapping, DefaultPayloadConverter(), failure)
    assert failure.application_failure_info.non_retryable is final


def test_a_failure_of_the_programs_own_is_told_as_ever() -> None:
    failure = Failure()
    PayloadFailureConverter().to_failure(ValueError("x"), DefaultPayloadConverter(), failure)
    assert not failure.application_failure_info.non_retryable
