from __future__ import annotations

from typing import Any

import pytest

from tests.support.moto_cloud import MotoCloud
from tests.support.sessions import Opened, Session


@pytest.fixture
def opened(cloud: MotoCloud) -> Opened:
    """Opens sessions of one deployment: ``opened(run_id="run-1")``; of the conversation talk-1 when nothing is said."""

    def open_session(**scope: Any) -> Session:
        return Session.open(cloud, **scope)

    return open_session
