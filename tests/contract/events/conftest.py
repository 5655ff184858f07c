from __future__ import annotations

import pytest

from tests.support.audited import Audited, Followed
from tests.support.moto_cloud import MotoCloud
from tests.support.sessions import Opened, Session


@pytest.fixture
def followed(cloud: MotoCloud) -> Followed:
    return Followed(cloud)


@pytest.fixture
def audited(cloud: MotoCloud) -> Audited:
    return Audited(cloud)


@pytest.fixture
def node(opened: Opened) -> Session:
    return opened(run_id="run-1")


@pytest.fixture
def chat(opened: Opened) -> Session:
    return opened(conversation_id="talk-1")
