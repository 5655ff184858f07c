from __future__ import annotations

from tests.support.moto_cloud import cloud, moto_server
from tests.support.temporal_server import temporal_server

__all__ = ["cloud", "moto_server", "temporal_server"]
