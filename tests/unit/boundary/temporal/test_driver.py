"""The storage driver: the same payload, the same claim; and each failure says whether trying again helps."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import NoReturn

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


@pytest.mark.parametrize(
    "metadata",
    [None, "", "{", "null", "5", "[]", '{"encoding": 5}', '{"encoding": "é"}', '{"encoding": "a"}', "[" * 9**5],
    ids=lambda value: str(value)[:20],
)  # fmt: skip
def test_a_claim_without_metadata_that_are_some_is_not_understood(
    metadata: str | None, driver: ArtifactStorageDriver
) -> None:
    [claim] = stored(driver, PAYLOAD)
    data = {name: value for name, value in claim.claim_data.items() if name != "metadata"}
    if metadata is not None:
        data["metadata"] = metadata
    with pytest.raises(ApplicationError, match="nothing was fetched") as refused:
        retrieved(driver, StorageDriverClaim(data))
    assert (refused.value.type, refused.value.non_retryable) == ("PayloadNotUnderstood", False)


@pytest.mark.parametrize(
    "reference", [None, "", "{", "null", "5", "[]", "{}", '{"$dataset": 1}', '{"$dataset": {"v": 2}}', "[" * 9**5],
    ids=lambda value: str(value)[:20],
)  # fmt: skip
def test_a_claim_without_a_reference_that_is_one_is_not_understood(
    reference: str | None, driver: ArtifactStorageDriver
) -> None:
    [claim] = stored(driver, PAYLOAD)
    data = {name: value for name, value in claim.claim_data.items() if name != "reference"}
    if reference is not None:
        data["reference"] = reference
    with pytest.raises(ApplicationError, match="fetched") as refused:
        retrieved(driver, StorageDriverClaim(data))
    assert (refused.value.type, refused.value.non_retryable) == ("PayloadNotUnderstood", False)


def test_a_claim_of_more_bytes_than_this_worker_takes_is_refused_before_a_byte_is_read(tmp_path: Path) -> None:
    [claim] = stored(ArtifactStorageDriver(lambda: FolderStore(tmp_path)), PAYLOAD)

    class Unread(FolderStore):
        def opened(self, *args: object, **kwargs: object) -> NoReturn:
            raise AssertionError("it was read")

    driver = ArtifactStorageDriver(lambda: Unread(tmp_path), max_payload_bytes=4_999)
    with pytest.raises(ApplicationError, match="5,000 bytes was not fetched") as refused:
        retrieved(driver, claim)
    assert (refused.value.type, refused.value.non_retryable) == ("PayloadTooLarge", True)
    assert retrieved(ArtifactStorageDriver(lambda: FolderStore(tmp_path), max_payload_bytes=5_000), claim) == [PAYLOAD]


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
