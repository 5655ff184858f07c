from __future__ import annotations

from tests.abuse.conftest import deployed

__all__ = ["deployed"]
