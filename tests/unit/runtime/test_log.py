"""A function's log looks through what a library said, and through nothing else."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from session_datasets.domain.names import Verb
from session_datasets.runtime.log import line_of, log_of


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    return io.StringIO()


def logged(error: BaseException, stream: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    log = log_of(Verb.AUDIT_RECORDS)
    monkeypatch.setattr(log.registered_handler, "stream", stream)
    log.error("comes again", exc_info=error)
    line: dict[str, Any] = json.loads(stream.getvalue())
    return line


def test_text_parts_notes_and_causes_of_an_exception_are_redacted(
    told: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    try:
        try:
            raise OSError("connect ana:hunter2@db")
        except OSError as cause:
            error = ValueError("PGPASSWORD=hunter2")
            error.add_note("aws_secret_access_key = hunter2")
            raise error from cause
    except ValueError as caught:
        line = logged(caught, told, monkeypatch)
    assert "hunter2" not in told.getvalue()
    assert line["exception_name"] == "ValueError"
    assert line["exception_notes"] == ["aws_secret_access_key = ***"]
    assert "connect ana:***@db" in line["exception"]
    assert "PGPASSWORD=***" in line["exception"]


def test_frames_of_an_exception_stay_with_file_and_line(told: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        raise ValueError("x")
    except ValueError as error:
        line = logged(error, told, monkeypatch)
    frame = line["stack_trace"]["frames"][-1]
    assert frame["file"] == __file__
    assert isinstance(frame["line"], int)


def test_a_line_without_an_exception_is_written_as_it_is() -> None:
    assert json.loads(line_of({"message": "answered", "café": 1.5})) == {"message": "answered", "café": 1.5}


def test_the_patterns_are_not_even_loaded_for_a_line_without_an_exception(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "session_datasets.domain.redaction", None)
    assert line_of({"message": "answered"}) == '{"message":"answered"}'
