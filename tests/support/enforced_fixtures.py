"""The stack on an emulator that enforces policies and checks signatures: one for the whole test session."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.enforced_cloud import EnforcedCloud, enforced_cloud


@pytest.fixture(scope="session")
def enforced() -> Iterator[EnforcedCloud]:
    with enforced_cloud() as deployed:
        yield deployed
