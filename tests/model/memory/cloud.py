"""The whole service on an account in memory, its calls to AWS disturbed at will."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from typing import Any
from unittest.mock import patch

from aws_lambda_powertools import Metrics
from botocore.client import BaseClient

from session_datasets.runtime import wiring
from session_datasets.storage.object_sink import ObjectSink
from session_datasets.storage.range_connections import RangeConnections
from tests.model.memory.account import ENDPOINT, MemoryAccount
from tests.model.memory.steps import Steps
from tests.support.moto_cloud import MotoCloud

# So small that a table of a few rows is written in parts.
_PART_BYTES = 250


class MemoryCloud(MotoCloud):
    """A deployment of its own. Use it within ``memory_cloud``."""

    def __init__(self, account: MemoryAccount, steps: Steps, **settings: Any) -> None:
        self.account = account
        self.steps = steps
        super().__init__(ENDPOINT, **settings)


# What answers for ENDPOINT. Clients are made once and outlive a cloud.
_present: list[tuple[MemoryAccount, Steps]] = []
_over_the_network, _ranged_over_the_network = BaseClient._make_api_call, RangeConnections.get


@contextmanager
def memory_cloud(**settings: Any) -> Iterator[MemoryCloud]:
    """While it lasts, the clients of ENDPOINT are answered from memory; all others are what they were."""
    account, steps, numbers = MemoryAccount(), Steps(), count(1)
    with (
        patch.object(BaseClient, "_make_api_call", _call),
        patch.object(RangeConnections, "get", _ranged),
        patch.object(wiring, "_now", account.clock),
        # Ids that are the same every time; artifacts' ids follow from them.
        patch.object(wiring, "new_session_id", lambda: f"ses-{next(numbers):024x}"),
        # One thread takes the same steps every time.
        patch.object(ThreadPoolExecutor, "submit", _at_once),
        patch.object(ObjectSink.__init__, "__defaults__", (_PART_BYTES,)),
    ):
        _present.append((account, steps))
        try:
            with _quiet():
                yield MemoryCloud(account, steps, **settings)
        finally:
            _present.pop()


@contextmanager
def _quiet() -> Iterator[None]:
    """Neither the log nor the metrics of thousands of failures that are made on purpose."""
    logging.disable()
    try:
        with patch.object(Metrics, "add_metric", lambda *_, **__: None):
            yield
    finally:
        logging.disable(logging.NOTSET)


def _call(client: Any, operation: str, parameters: dict[str, Any]) -> Any:
    if client.meta.endpoint_url != ENDPOINT:
        return _over_the_network(client, operation, parameters)
    account, steps = _present[-1]
    service = client.meta.service_model.service_name
    return steps.take(lambda: account.serve(service, operation, parameters))


def _ranged(connections: RangeConnections, url: str, first: int, last: int) -> bytes | None:
    if not url.startswith(ENDPOINT):
        return _ranged_over_the_network(connections, url, first, last)
    account, steps = _present[-1]
    answered = steps.take(lambda: account.request("GET", url, {"Range": f"bytes={first}-{last}"}))
    return answered.data if answered.status == 206 and len(answered.data) == last - first + 1 else None


def _at_once(_: ThreadPoolExecutor, work: Callable[..., Any], /, *arguments: Any, **more: Any) -> Future[Any]:
    """Does in the caller's thread what a pool would do in one of its own."""
    done: Future[Any] = Future()
    try:
        done.set_result(work(*arguments, **more))
    except BaseException as error:
        done.set_exception(error)
    return done
