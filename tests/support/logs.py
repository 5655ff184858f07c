"""What the functions write to their log, in this process."""

from __future__ import annotations

import io

import pytest

from session_datasets.domain.names import CALLED_VERBS
from tests.support.moto_cloud import door, profiling_door


def log_of_functions(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """Everything from here on, one JSON document a line."""
    stream = io.StringIO()
    for each in (*(door(verb) for verb in CALLED_VERBS), profiling_door()):
        monkeypatch.setattr(each._logger.registered_handler, "stream", stream)
    return stream
