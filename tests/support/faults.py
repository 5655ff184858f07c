"""Faults of AWS where a client of boto3 meets them: each request may be refused, lost, cut short or slow.

``Faults`` asks ``choose`` for every attempt, so a test hands in a script or a seeded draw. Nobody sleeps meanwhile: a
``Clock`` counts what is slept and what slow requests take.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from random import Random
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from botocore import endpoint
from botocore.awsrequest import AWSResponse
from botocore.exceptions import ConnectionClosedError, ConnectTimeoutError, ReadTimeoutError
from urllib3.exceptions import ProtocolError

from session_datasets.storage import deadline


@dataclass(frozen=True)
class Fault:
    """What happens to one attempt. ``seconds`` is how long it takes to be answered, or refused."""

    name: str
    seconds: float = 0.0
    refused: tuple[int, str] | None = None  # status, code; nothing was done
    reset: bool = False  # before anything was done
    unreachable: bool = False  # nobody takes the connection
    answer_lost: bool = False  # it was done
    cut_after: int | None = None  # bytes of a streamed body
    headers: dict[str, str] = field(default_factory=dict)


THROTTLED = Fault("throttled", refused=(400, "ThrottlingException"))
TABLE_THROTTLED = Fault("table throttled", refused=(400, "ProvisionedThroughputExceededException"))
SLOW_DOWN = Fault("slow down", refused=(503, "SlowDown"))
SERVER_ERROR = Fault("server error", refused=(500, "InternalError"))
RESET = Fault("reset", reset=True)
ANSWER_LOST = Fault("answer lost", answer_lost=True)
CUT = Fault("cut", cut_after=1_000)
SILENT = Fault("silent", seconds=600)
UNREACHABLE = Fault("unreachable", seconds=600, unreachable=True)

S3_FAULTS = (SLOW_DOWN, SERVER_ERROR, RESET, ANSWER_LOST, CUT, SILENT, UNREACHABLE)
DYNAMODB_FAULTS = (THROTTLED, TABLE_THROTTLED, SERVER_ERROR, RESET, ANSWER_LOST, SILENT, UNREACHABLE)

# Of an operation such as ``s3.GetObject``: what happens to its next attempt, None for nothing.
Choose = Callable[[str], Fault | None]


class Clock:
    """Time that passes by sleeping, and by requests that take it; ``slept`` are the waits between tries."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        # To the nanosecond: a sum of fractions must not pass a limit by the last bit of a double.
        self.now = round(self.now + seconds, 9)
        self.slept.append(seconds)

    @contextmanager
    def instead_of_time(self) -> Iterator[None]:
        """For what waits in the storage room and in boto3's clients."""
        told = SimpleNamespace(monotonic=self.monotonic, sleep=self.sleep)
        with patch.object(deadline, "time", told), patch.object(endpoint, "time", told):
            yield


class Faults:
    """``attempts`` counts the requests of each operation, those that met a fault included."""

    def __init__(self, choose: Choose, clock: Clock) -> None:
        self._choose = choose
        self.clock = clock
        self.attempts: Counter[str] = Counter()

    @contextmanager
    def befalling(self, *clients: Any) -> Iterator[None]:
        """While it lasts, requests of these clients meet their faults, and nothing sleeps."""
        with ExitStack() as stack:
            stack.enter_context(self.clock.instead_of_time())
            for client in clients:
                stack.enter_context(self._on(client))
            yield

    @contextmanager
    def _on(self, client: Any) -> Iterator[None]:
        def meet(request: Any, event_name: str, **_: Any) -> AWSResponse | None:
            operation = event_name.removeprefix("before-send.")
            self.attempts[operation] += 1
            fault = self._choose(operation)
            return None if fault is None else self._met(fault, client, request)

        # After the client's own handlers: they say how long it waits, or that it asks no more.
        client.meta.events.register_last("before-send.*.*", meet)
        try:
            yield
        finally:
            client.meta.events.unregister("before-send.*.*", meet)

    def _met(self, fault: Fault, client: Any, request: Any) -> AWSResponse | None:
        patience = deadline.CONNECT_SECONDS if fault.unreachable else request.context["read_timeout"]
        self.clock.now += min(fault.seconds, patience)
        if fault.unreachable:
            raise ConnectTimeoutError(endpoint_url=request.url)
        if fault.seconds > patience:
            raise ReadTimeoutError(endpoint_url=request.url)
        if fault.reset:
            raise ConnectionClosedError(endpoint_url=request.url)
        if fault.refused:
            return _refusal(request, *fault.refused, fault.headers)
        answered: AWSResponse = client._endpoint.http_session.send(request)
        if fault.answer_lost:
            raise ConnectionClosedError(endpoint_url=request.url)
        if fault.cut_after is not None:
            answered.raw = _Cut(answered.raw, fault.cut_after)
        return answered


class _Cut:
    """A body whose connection breaks after so many bytes."""

    def __init__(self, raw: Any, left: int) -> None:
        self._raw = raw
        self._left = left

    def __getattr__(self, name: str) -> Any:
        return getattr(self._raw, name)

    def read(self, amount: int | None = None, **_: Any) -> bytes:
        if self._left == 0:
            raise ProtocolError("Connection broken")
        body: bytes = self._raw.read(self._left if amount is None else min(amount, self._left))
        self._left -= len(body)
        if amount is None and self._left == 0:
            raise ProtocolError("Connection broken")
        return body


class _Body:
    def __init__(self, body: bytes) -> None:
        self._body = body

    def stream(self, **_: Any) -> Iterator[bytes]:
        yield self._body

    def read(self, *_: Any, **__: Any) -> bytes:
        body, self._body = self._body, b""
        return body


def _refusal(request: Any, status: int, code: str, headers: dict[str, str]) -> AWSResponse:
    """As the service would spell it: DynamoDB speaks JSON, S3 XML."""
    if "X-Amz-Target" in request.headers:
        body = b'{"__type": "com.amazonaws.dynamodb.v20120810#%s", "message": "no"}' % code.encode()
    else:
        body = b"<Error><Code>%s</Code><Message>no</Message></Error>" % code.encode()
    return AWSResponse(request.url, status, headers, _Body(body))


def scripted(*faults: Fault | None, operation: str | None = None) -> Choose:
    """One after the other, then nothing; for the requests of one operation when that is named."""
    left = list(faults)

    def choose(asked: str) -> Fault | None:
        return left.pop(0) if left and operation in (None, asked) else None

    return choose


def always(fault: Fault, operation: str | None = None) -> Choose:
    return lambda asked: fault if operation in (None, asked) else None


def drawn(seed: int, share: float) -> Choose:
    """This share of all requests meets a fault that its service knows, the same for every run of one ``seed``."""
    random = Random(seed)

    def choose(operation: str) -> Fault | None:
        faults = DYNAMODB_FAULTS if operation.startswith("dynamodb.") else S3_FAULTS
        return random.choice(faults) if random.random() < share else None

    return choose
