"""An upload lasts as long as it takes: over any number of plans, each of which expires."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from session_datasets.client.errors import TransferError
from session_datasets.client.http import Reply
from session_datasets.client.local_file import LocalFile
from session_datasets.client.upload import Uploaded, Uploads
from session_datasets.wire.answers import PrepareUploadAnswer, PresignedPart, UploadPartPart
from tests.unit.client.conftest import IMPATIENT

EXPIRES = datetime(2026, 11, 30, 12, tzinfo=UTC)
PART = 10
EXPIRED = TransferError("Expired.", status=403, code="AccessDenied", expired=True)
BROKEN = TransferError("The connection broke.")
GONE = TransferError("Gone.", status=404, code="NoSuchUpload")


def request(url: str) -> PresignedPart:
    return PresignedPart(method="PUT", url=url, headers={}, expires_at=EXPIRES)


@dataclass
class Plans:
    """The service: every plan is a generation of requests, whose URLs are ``generation/part``."""

    size: int
    part_sizes: Callable[[int], int] = lambda generation: PART
    asked: list[dict[str, Any]] = field(default_factory=list)

    def ask(self, verb: object, answer: object, **arguments: Any) -> PrepareUploadAnswer:
        self.asked.append(arguments)
        generation = len(self.asked)
        step = self.part_sizes(generation)
        parts = [
            UploadPartPart(number=number, offset=offset, size=step, request=request(f"{generation}/{number}"))
            for number, offset in enumerate(range(0, self.size, step), start=1)
        ]
        complete = request(f"{generation}/complete")
        return PrepareUploadAnswer(
            key="key", upload_id="the-upload", parts=parts, complete=complete, present=False, version_id=None
        )


@dataclass
class Storage:
    """``does`` says what happens to a request: it gets an ETag, or an error."""

    does: Callable[[int, str], Exception | None]
    sent: list[str] = field(default_factory=list)
    completed: bytes = b""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def send(self, made: PresignedPart, *, body: Any = None, headers: Any = None) -> Reply:
        generation, what = made.url.split("/")
        with self.lock:
            self.sent.append(made.url)
            failure = self.does(int(generation), what)
        if failure is not None:
            raise failure
        if what == "complete":
            self.completed = body
            return Reply({"x-amz-version-id": "version"}, b"")
        return Reply({"ETag": made.url}, b"")

    def times(self, what: str) -> int:
        return Counter(url.split("/")[1] for url in self.sent)[what]


@pytest.fixture
def file(tmp_path: Path) -> LocalFile:
    """Ten parts."""
    path = tmp_path / "large"
    path.write_bytes(bytes(range(10 * PART)))
    return LocalFile.measured(path)


def upload(file: LocalFile, plans: Plans, storage: Storage, now: datetime = EXPIRES - timedelta(seconds=1)) -> Uploaded:
    uploads = Uploads(plans, storage, IMPATIENT, clock=lambda: now)  # type: ignore[arg-type]
    return uploads.upload(file)


def test_an_upload_goes_on_as_long_as_every_plan_brings_a_part_across(file: LocalFile) -> None:
    plans = Plans(file.size)
    storage = Storage(lambda generation, what: EXPIRED if what != "complete" and int(what) > generation else None)
    assert upload(file, plans, storage) == Uploaded("key", "version")
    assert [each.get("upload_id") for each in plans.asked] == [None] + ["the-upload"] * 9
    # Each part arrived under the plan of its own number, was kept, and is what the completion names.
    assert [f"<ETag>{number}/{number}</ETag>".encode() in storage.completed for number in range(1, 11)] == [True] * 10


def test_plans_that_bring_nothing_across_end_after_as_many_tries_as_any_call(file: LocalFile) -> None:
    plans = Plans(file.size)
    storage = Storage(lambda generation, what: EXPIRED if int(what) >= 7 else None)
    with pytest.raises(TransferError, match="Expired"):
        upload(file, plans, storage)
    assert len(plans.asked) == 4
    assert [storage.times(str(number)) for number in range(1, 8)] == [1] * 6 + [4]


@pytest.mark.parametrize(("late", "requests"), [(False, ["1/3", "1/3"]), (True, ["1/3", "2/3"])])
def test_a_connection_that_breaks_after_the_expiry_is_taken_for_a_refusal(
    file: LocalFile, late: bool, requests: list[str]
) -> None:
    broken = iter([BROKEN])
    storage = Storage(lambda generation, what: next(broken, None) if what == "3" else None)
    upload(file, Plans(file.size), storage, EXPIRES if late else EXPIRES - timedelta(seconds=1))
    assert [url for url in storage.sent if url.endswith("/3")] == requests


def test_a_completion_whose_answer_is_lost_and_whose_permission_expires_counts(file: LocalFile) -> None:
    outcomes = iter([BROKEN, EXPIRED, GONE])
    storage = Storage(lambda generation, what: next(outcomes) if what == "complete" else None)
    assert upload(file, Plans(file.size), storage) == Uploaded("key", None)
    assert storage.times("1") == 1


def test_an_upload_that_is_gone_before_any_completion_is_an_error(file: LocalFile) -> None:
    storage = Storage(lambda generation, what: GONE if what == "complete" else None)
    with pytest.raises(TransferError, match="Gone"):
        upload(file, Plans(file.size), storage)


def test_parts_that_a_later_plan_cuts_otherwise_are_sent_again(file: LocalFile) -> None:
    plans = Plans(file.size, part_sizes=lambda generation: PART * generation)
    storage = Storage(lambda generation, what: EXPIRED if (generation, what) == (1, "10") else None)
    upload(file, plans, storage)
    assert [f"<ETag>2/{number}</ETag>".encode() in storage.completed for number in range(1, 6)] == [True] * 5
    assert storage.completed.count(b"<Part>") == 5
