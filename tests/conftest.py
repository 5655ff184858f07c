"""Fixtures that more than one ring asks for. A ring on deployed functions has its own ``cloud``."""

from __future__ import annotations

from tests.support.deployed_fixtures import stack
from tests.support.moto_cloud import cloud, moto_server

__all__ = ["cloud", "moto_server", "stack"]
