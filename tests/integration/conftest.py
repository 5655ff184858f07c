from __future__ import annotations

from tests.support.deployed_fixtures import cloud

__all__ = ["cloud"]
