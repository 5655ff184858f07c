"""The wiring of the verbs that open tables. Importing it imports pyarrow, so that SnapStart's image holds it."""

from __future__ import annotations

from functools import cache

from session_datasets.formats.tables import ArrowTables
from session_datasets.runtime.scratch import swept_scratch
from session_datasets.runtime.wiring import Wired, from_environment


@cache
def tabular() -> Wired:
    scratch = swept_scratch()
    return from_environment(ArrowTables(scratch), scratch)


@cache
def worker() -> Wired:
    """For what is done off the queue: nobody calls it, so it knows no key to check tokens with."""
    scratch = swept_scratch()
    return from_environment(ArrowTables(scratch), scratch, verifies_tokens=False)
