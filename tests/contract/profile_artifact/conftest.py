"""A cloud that profiles few files at once, and a node of it."""

from __future__ import annotations

import pytest

from tests.contract.profiling import AT_ONCE_BYTES
from tests.support.moto_cloud import MotoCloud
from tests.support.sessions import Opened, Session


@pytest.fixture
def cloud(moto_server: str) -> MotoCloud:
    return MotoCloud(moto_server, profiled_at_once_bytes=AT_ONCE_BYTES)


@pytest.fixture
def node(opened: Opened) -> Session:
    return opened(run_id="run-1")
