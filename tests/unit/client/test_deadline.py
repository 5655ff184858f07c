"""Inside ``within`` nothing is tried that its time does not reach to."""

from __future__ import annotations

import math
import socket
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

import session_datasets
from session_datasets.client import deadline, http, lambda_client
from session_datasets.client.deadline import seconds_left, seconds_of_a_request, within
from session_datasets.client.errors import Again, TransferError, TransportError, UnavailableError, WaitedTooLongError
from session_datasets.client.patience import Patience
from session_datasets.client.workspace import Workspace
from session_datasets.domain.errors import PROBLEM_KINDS, Problem, ProblemCode
from session_datasets.domain.names import Verb
from session_datasets.wire.problem import ProblemModel
from tests.support.moto_cloud import MotoCloud
from tests.unit.client.flaky import Fault, FlakyStorage

BUSY = ProblemModel.of(Problem(ProblemCode.UNAVAILABLE, "Busy.", PROBLEM_KINDS[ProblemCode.UNAVAILABLE].advice), "r")
CONTENT = b"number\n" + b"1\n" * 10_000


class Clock:
    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(deadline, "time", SimpleNamespace(monotonic=clock.monotonic))
    return clock


@pytest.fixture
def patient(clock: Clock) -> Patience:
    """Waits as long as it may each time: a quarter of a second, a half, one."""
    return Patience(sleep=clock.sleep, draw=lambda: 1.0)


class Failing:
    """A transport that never gets through; every call takes a second of the clock."""

    def __init__(self, clock: Clock, failure: dict[str, Any] | Exception) -> None:
        self._clock = clock
        self._failure = failure
        self.calls = 0

    def call(self, verb: Verb, body: dict[str, Any]) -> dict[str, Any]:
        self.calls += 1
        self._clock.now += 1
        if isinstance(self._failure, Exception):
            raise self._failure
        return self._failure


@pytest.mark.parametrize(("seconds", "calls"), [(0, 1), (1.2, 1), (1.3, 2), (2.7, 2), (2.8, 3), (99, 4)])
def test_a_call_is_repeated_while_the_wait_before_it_fits(
    clock: Clock, patient: Patience, seconds: float, calls: int
) -> None:
    transport = Failing(clock, BUSY.to_body())
    with within(seconds), pytest.raises(UnavailableError):
        Workspace("token", transport, patience=patient).list_page()
    assert transport.calls == calls


def test_a_function_that_starts_slowly_is_not_waited_for_beyond_it(clock: Clock, patient: Patience) -> None:
    transport = Failing(clock, TransportError("starting", again=Again.LATER))
    with within(10), pytest.raises(TransportError, match="starting"):
        Workspace("token", transport, patience=patient).list_page()
    assert clock.slept == [2, 4]


def test_without_one_patience_alone_decides(clock: Clock, patient: Patience) -> None:
    transport = Failing(clock, BUSY.to_body())
    with pytest.raises(UnavailableError):
        Workspace("token", transport, patience=patient).list_page()
    assert transport.calls == patient.tries


def test_one_inside_another_only_shortens_it() -> None:
    with within(10):
        with within(60):
            assert seconds_left() == 10
        with within(5):
            assert seconds_left() == 5
        assert seconds_left() == 10
    assert seconds_left() == math.inf


def test_a_request_waits_no_longer_than_what_is_left(clock: Clock) -> None:
    with within(20):
        assert seconds_of_a_request(60) == 20
        assert seconds_of_a_request(10) == 10
        clock.now += 30
        assert seconds_of_a_request(60) == 1


def test_the_storage_is_waited_for_no_longer() -> None:
    with within(20):
        assert (http._timeout().connect_timeout, http._timeout().read_timeout) == (10, 20)
    assert http._timeout().read_timeout == 60


def test_a_function_is_waited_for_no_longer() -> None:
    request = SimpleNamespace(context={})
    with within(20):
        lambda_client._in_the_callers_time(request)
    assert request.context == {"read_timeout": 20}
    lambda_client._in_the_callers_time(request)
    assert request.context == {"read_timeout": lambda_client.ANSWER_SECONDS}


def test_a_silent_function_is_left_when_the_time_is_up(monkeypatch: pytest.MonkeyPatch, silent: str) -> None:
    for name in ("AWS_PROFILE", "AWS_CONFIG_FILE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"ENDPOINT_URL": silent, "REGION": "us-east-1", "ACCESS_KEY_ID": "x"}.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x")
    transport = session_datasets.DeployedTransport()
    with within(1), pytest.raises(session_datasets.errors.LostAnswerError, match="that the caller had left"):
        Workspace("token", transport).list_page()


@pytest.fixture
def silent() -> Iterator[str]:
    """The address of a server that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


class TestTransfers:
    @pytest.fixture
    def workspace(self, flaky_cloud: MotoCloud, directory: Any, patient: Patience) -> Workspace:
        directory.mkdir()
        return Workspace(flaky_cloud.token(run_id="run"), flaky_cloud.transport(), directory, patience=patient)

    @pytest.fixture
    def file(self, tmp_path: Any) -> Any:
        path = tmp_path / "numbers.csv"
        path.write_bytes(CONTENT)
        return path

    def test_an_upload_that_fails_is_not_repeated_beyond_it(
        self, workspace: Workspace, storage: FlakyStorage, file: Any
    ) -> None:
        storage.faults.append(Fault(refuse=(503, "SlowDown", ""), times=99))
        with within(0.8), pytest.raises(TransferError, match="SlowDown"):
            workspace.register_artifact(file)
        assert len(storage.uploads()) == 3

    def test_a_download_that_fails_is_not_repeated_beyond_it_and_goes_on_later(
        self, workspace: Workspace, storage: FlakyStorage, file: Any
    ) -> None:
        registered = workspace.register_artifact(file)
        storage.faults += [Fault(cut_after=1_000), Fault(refuse=(503, "SlowDown", ""), times=1)]
        with within(0.3), pytest.raises(TransferError, match="SlowDown"):
            workspace.load_artifact(registered)
        assert len(storage.downloads()) == 2
        assert workspace.load_artifact(registered).read_bytes() == CONTENT
        assert storage.downloads()[-1].headers["range"] == "bytes=1000-"

    def test_a_profile_is_not_waited_for_beyond_it(
        self, flaky_cloud: MotoCloud, workspace: Workspace, file: Any, clock: Clock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(workspace._waiting, "_now", clock.monotonic)
        small = MotoCloud(flaky_cloud.endpoint, profiled_at_once_bytes=10)
        waiting = Workspace(small.token(run_id="run"), small.transport(), patience=Patience(sleep=clock.sleep))
        monkeypatch.setattr(waiting._waiting, "_now", clock.monotonic)
        with within(5), pytest.raises(WaitedTooLongError):
            waiting.register_artifact(file)
        assert round(sum(clock.slept), 9) <= 5


def test_threads_of_other_callers_are_not_bound_by_it() -> None:
    told: list[float] = []
    with within(5):
        thread = threading.Thread(target=lambda: told.append(seconds_left()))
        thread.start()
        thread.join()
    assert told == [math.inf]
