"""A crafted file ends the parser: a segmentation fault, an abort, a process that the system kills for its memory.

Only that call fails, as unreadable-file, for the parsers that a file can kill run in a process of their own. Nothing is
registered, nothing is tried without end, and the next call is served by the same function.
"""

from __future__ import annotations

import os
import signal
from typing import Any
from unittest.mock import patch

import pytest

from session_datasets.domain.limits import PROFILE_TRIES_MAX
from tests.corpora.parquet_oddities import BROKEN
from tests.support.contents import items
from tests.support.moto_cloud import MotoCloud
from tests.support.odd_files import arrow_file, npy, parquet
from tests.support.sessions import Session, problem_code
from tests.support.workbooks import workbook

KILLER = "a required column with nulls"
GOOD = b"a,b\n1,x\n"
# Formats whose readers are libraries in C++ or unpack what a stranger packed.
READ_ELSEWHERE: dict[str, bytes] = {
    "a.parquet": parquet({"a": [1, 2]}),
    "a.arrow": arrow_file({"a": [1, 2]}),
    "a.npy": npy([1, 2]),
    "a.xlsx": workbook({"A": [["a"], [1]]}),
}


def test_a_file_that_really_kills_arrow_is_one_refused_call(cloud: MotoCloud, node: Session) -> None:
    refused = node.register("a.parquet", BROKEN[KILLER]())
    assert problem_code(refused) == "unreadable-file"
    assert "ended the reader" in refused["problem"]["detail"]
    assert refused["problem"]["retryable"] is False
    assert items(cloud, "art_") == []
    assert node.register("good.csv", GOOD)["status"] == "ready"


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT, signal.SIGKILL, signal.SIGBUS, signal.SIGFPE])
def test_however_it_dies_the_answer_is_the_same(cloud: MotoCloud, node: Session, number: int) -> None:
    here = os.getpid()

    def die(*_: Any, **__: Any) -> Any:
        assert os.getpid() != here
        os.kill(os.getpid(), number)

    with patch("pyarrow.parquet.ParquetFile", die):
        refused = node.register("a.parquet", parquet({"a": [1]}))
    assert problem_code(refused) == "unreadable-file"
    assert items(cloud, "art_") == []
    assert node.register("b.parquet", parquet({"a": [1]}), name="good")["status"] == "ready"


@pytest.mark.parametrize("file_name", READ_ELSEWHERE)
def test_such_a_format_is_read_in_another_process(node: Session, file_name: str) -> None:
    forked: list[int] = []
    fork = os.fork

    def counted() -> int:
        child = fork()
        forked.append(child)
        return child

    with patch("os.fork", counted):
        assert node.register(file_name, READ_ELSEWHERE[file_name])["profile"]["shape"]["columns"] == 1
    assert len(forked) >= 1


@pytest.mark.parametrize("name", BROKEN)
def test_every_broken_file_we_know_is_one_answer_and_no_record_that_pages(
    cloud: MotoCloud, node: Session, name: str
) -> None:
    answer = node.register("a.parquet", BROKEN[name]())
    if "problem" in answer:
        assert problem_code(answer) == "unreadable-file"
        assert items(cloud, "art_") == []
    else:
        assert (answer["format"], "profile" in answer) == ("other", False)
    assert node.register("good.csv", GOOD, name="good")["status"] == "ready"


@pytest.fixture
def queueing(moto_server: str) -> MotoCloud:
    return MotoCloud(moto_server, profiled_at_once_bytes=0)


def test_off_the_queue_it_fails_once_and_does_not_come_again(queueing: MotoCloud) -> None:
    node = Session.open(queueing, run_id="run-1")
    reference = node.register("a.parquet", BROKEN[KILLER]())["reference"]
    assert queueing.run_profiling() == [{"batchItemFailures": []}]
    described = node.call("describe_artifact", reference=reference)
    assert (described["status"], described["failure"]["code"]) == ("failed", "unreadable-file")
    assert queueing.waiting_messages() == 0
    assert "download" in node.call("load_artifact", reference=reference)


def test_what_kills_the_whole_function_is_tried_a_few_times_and_then_given_up(queueing: MotoCloud) -> None:
    """What no process of its own holds back: Lambda delivers the message again, and counts."""
    node = Session.open(queueing, run_id="run-1")
    reference = node.register("a.csv", GOOD)["reference"]
    message = queueing.take_message()
    assert message is not None

    class Killed(BaseException):
        pass

    with patch("session_datasets.operations.profile_artifact.measured", side_effect=Killed):
        for attempt in range(1, PROFILE_TRIES_MAX + 1):
            message["attributes"]["ApproximateReceiveCount"] = str(attempt)
            with pytest.raises(Killed):
                queueing.deliver(message)
        message["attributes"]["ApproximateReceiveCount"] = str(PROFILE_TRIES_MAX + 1)
        # It is told as failed, so that Lambda leaves it to the dead letters.
        assert queueing.deliver(message)["batchItemFailures"] != []
    described = node.call("describe_artifact", reference=reference)
    assert (described["status"], described["failure"]["code"]) == ("failed", "internal")


def test_deployed_functions_refuse_it_and_serve_the_next_call(node_there: Session) -> None:
    for _ in range(2):
        assert problem_code(node_there.register("a.parquet", BROKEN[KILLER]())) == "unreadable-file"
        assert node_there.register("good.csv", GOOD)["status"] == "ready"
