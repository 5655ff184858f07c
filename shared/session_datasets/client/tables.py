"""A dataset as an Arrow table, with exactly the registered types."""

from __future__ import annotations
