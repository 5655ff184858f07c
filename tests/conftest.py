"""Fixtures that every ring may ask for."""

from __future__ import annotations

from tests.support.moto_cloud import cloud, moto_server

__all__ = ["cloud", "moto_server"]
