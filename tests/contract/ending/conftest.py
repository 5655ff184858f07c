"""A clock that moves on."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from tests.support.moto_cloud import MotoCloud


@pytest.fixture
def later(cloud: MotoCloud) -> Iterator[Any]:
    """Moves the service's clock on by seconds."""
    service, now = cloud.wired.service, cloud.wired.service.clock
    ahead = timedelta()

    def move(seconds: float) -> None:
        nonlocal ahead
        ahead += timedelta(seconds=seconds)

    object.__setattr__(service, "clock", lambda: now() + ahead)
    yield move
    object.__setattr__(service, "clock", now)
