"""DynamoDB throttles, S3 answers 503, the network breaks in the middle of a download.

Bounded retries, with waits that are drawn, inside the time that the call has left; then unavailable, which may be
repeated. A download goes on where it broke, is checked by its sha256, and leaves no half file under its name.
(``tests/contract/test_faults.py`` meets each request of each verb with each fault; here a node's whole hand-over goes
through all of them at once.)
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from session_datasets.client.errors import SessionDatasetsError, TransferError, TransportError, UnavailableError
from session_datasets.client.patience import Patience
from session_datasets.client.workspace import Workspace
from session_datasets.domain.limits import KIB, MIB
from session_datasets.storage.deadline import answering_within
from tests.support.contents import items
from tests.support.deployed_cloud import DeployedCloud
from tests.support.faults import SLOW_DOWN, TABLE_THROTTLED, Clock, Faults, always, drawn
from tests.support.moto_cloud import MotoCloud
from tests.support.sessions import Session
from tests.unit.client.flaky import Fault, FlakyStorage, flaky_storage

BODY = b"number,word\n" + b"".join(b"%d,w%d\n" % (n, n) for n in range(20_000))
IMPATIENT = Patience(sleep=lambda seconds: None)
SECONDS = 15


@pytest.fixture(scope="module")
def flaky_server(moto_server: str) -> Iterator[FlakyStorage]:
    with flaky_storage(moto_server) as storage:
        yield storage


@pytest.fixture
def storage(flaky_server: FlakyStorage) -> FlakyStorage:
    flaky_server.faults.clear()
    flaky_server.passed.clear()
    return flaky_server


def hand_over(cloud: MotoCloud, folder: Path, run_id: str) -> tuple[str, Path]:
    """A file from one node to the next: the artifact's id, and where it landed."""
    (folder / "source").mkdir(exist_ok=True)
    (folder / "target").mkdir(exist_ok=True)
    source = folder / "source" / "a.csv"
    source.write_bytes(BODY)
    nodes = [
        Workspace(cloud.token(run_id=run_id), cloud.transport(), folder / "target", patience=IMPATIENT)
        for _ in range(2)
    ]
    known = nodes[0].register_artifact(source, name="Numbers").artifact_id
    # By its id alone, so that the listing of the run leads there.
    found = next(each for each in nodes[1].list_artifacts() if each.artifact_id == known)
    assert nodes[1].read_rows(found, offset=19_999).rows == [[19_999, "w19999"]]
    return known, nodes[1].load_artifact(found)


def presigned_faults(seed: int) -> list[Fault]:
    """What befalls the requests of the nodes to the storage."""
    draw = random.Random(seed)
    kinds = [
        Fault(refuse=(503, "SlowDown", "")),
        Fault(drop=True),
        Fault(lose_answer=True),
        Fault(when=lambda method, query: method == "GET", cut_after=50 * KIB),
        Fault(when=lambda method, query: method == "GET", without_range=True),
    ]
    return draw.choices(kinds, k=draw.randrange(4))


@contextmanager
def befalling(cloud: MotoCloud, storage: FlakyStorage, seed: int, share: float) -> Iterator[None]:
    storage.faults[:] = presigned_faults(seed)
    faults = Faults(drawn(seed, share), Clock())
    with faults.befalling(cloud.s3, cloud.dynamodb), answering_within(10**6):
        yield
    storage.faults.clear()


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10**6), share=st.sampled_from([0.02, 0.1, 0.4]))
def test_a_hand_over_among_faults_is_whole_or_is_told_as_worth_another_try(
    flaky_server: FlakyStorage, tmp_path_factory: pytest.TempPathFactory, seed: int, share: float
) -> None:
    cloud, folder = MotoCloud(flaky_server.endpoint), tmp_path_factory.mktemp("nodes")
    try:
        with befalling(cloud, flaky_server, seed, share):
            known, path = hand_over(cloud, folder, "run-1")
        assert path.read_bytes() == BODY
    except (UnavailableError, TransferError, TransportError):
        # Nothing but what the next try goes on with.
        assert {each.suffix for each in (folder / "target").iterdir()} <= {".part"}
    flaky_server.faults.clear()
    known, path = hand_over(cloud, folder, "run-1")
    assert path.read_bytes() == BODY
    assert [each.name for each in (folder / "target").iterdir()] == ["a.csv"]
    assert known in {item["artifact_id"]["S"] for item in items(cloud, "art_")}


@pytest.mark.parametrize(
    ("operation", "fault"), [("dynamodb.GetItem", TABLE_THROTTLED), ("s3.HeadObject", SLOW_DOWN)], ids=["table", "S3"]
)
def test_a_store_that_stays_busy_is_asked_a_bounded_number_of_times_and_told(
    cloud: MotoCloud, node: Session, tmp_path: Path, operation: str, fault: object
) -> None:
    reference = node.register("a.csv", BODY)["reference"]
    cloud.restart()
    workspace = Workspace(node.token, cloud.transport(), tmp_path, patience=IMPATIENT)
    faults = Faults(always(fault, operation), Clock())  # type: ignore[arg-type]
    with faults.befalling(cloud.s3, cloud.dynamodb), answering_within(SECONDS), pytest.raises(UnavailableError) as told:
        workspace.load_artifact(reference)
    assert told.value.problem.retryable is True
    # Three by each call's own client, four calls by the SDK.
    assert 4 <= faults.attempts[operation] <= 12
    assert list(tmp_path.iterdir()) == []


def test_waits_between_tries_are_drawn_and_bounded(cloud: MotoCloud, node: Session) -> None:
    reference = node.register("a.csv", BODY)["reference"]
    slept: set[float] = set()
    for _ in range(5):
        cloud.restart()
        faults = Faults(always(TABLE_THROTTLED, "dynamodb.GetItem"), Clock())
        with faults.befalling(cloud.s3, cloud.dynamodb), answering_within(SECONDS):
            node.call("read_rows", reference=reference)
        slept |= set(faults.clock.slept)
        assert sum(faults.clock.slept) < SECONDS
    assert len(slept) >= 8


def test_a_download_that_breaks_again_and_again_goes_on_where_it_was(storage: FlakyStorage, tmp_path: Path) -> None:
    cloud = MotoCloud(storage.endpoint)
    node = Session.open(cloud, run_id="run-1")
    body = random.Random(7).randbytes(2 * MIB)
    reference = node.register("noise.bin", body)["reference"]
    storage.passed.clear()
    storage.faults[:] = [Fault(cut_after=100 * KIB)] * 10
    path = Workspace(node.token, cloud.transport(), tmp_path, patience=IMPATIENT).load_artifact(reference)
    assert path.read_bytes() == body
    assert len(storage.downloads()) == 11
    assert sum(each.sent_back for each in storage.downloads()) == len(body)


def test_a_load_from_deployed_functions_that_dies_midway_is_taken_up_by_the_next_process(
    deployed: DeployedCloud, tmp_path: Path
) -> None:
    class Died(Exception):
        pass

    def die(done: int, total: int) -> None:
        if done:
            raise Died

    (tmp_path / "source").mkdir()
    source = tmp_path / "source" / "noise.bin"
    source.write_bytes(random.Random(7).randbytes(5 * MIB))
    (tmp_path / "target").mkdir()
    known = deployed.open(tmp_path / "source", run_id="broken").register_artifact(source).reference
    with pytest.raises(Died):
        deployed.open(tmp_path / "target", run_id="broken").load_artifact(known, progress=die)
    (part,) = (tmp_path / "target").iterdir()
    assert 0 < part.stat().st_size < 5 * MIB
    told: list[int] = []
    path = deployed.open(tmp_path / "target", run_id="broken").load_artifact(
        known, progress=lambda done, _: told.append(done)
    )
    assert told[0] >= MIB
    assert path.read_bytes() == source.read_bytes()


def test_what_is_raised_is_one_of_our_errors(storage: FlakyStorage, tmp_path: Path) -> None:
    """With advice, and without the URL that failed."""
    cloud = MotoCloud(storage.endpoint)
    node = Session.open(cloud, run_id="run-1")
    reference = node.register("a.csv", BODY)["reference"]
    storage.faults[:] = [Fault(drop=True)] * 50
    with pytest.raises(SessionDatasetsError) as told:
        Workspace(node.token, cloud.transport(), tmp_path, patience=IMPATIENT).load_artifact(reference)
    assert "X-Amz" not in repr(told.value) + str(told.value.__cause__) + str(told.value.__context__)
