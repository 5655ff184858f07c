"""A reader in a process of its own: what it says comes through, and what becomes of it ends nothing else."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator

import pyarrow as pa
import pytest

from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.limits import GIB, MIB
from session_datasets.domain.profile import Format
from session_datasets.formats.stream import NoTable, TableStream, damaged
from session_datasets.formats.typed.contained import contained
from session_datasets.formats.values.row_sizes import rows_without_columns

SCHEMA = pa.schema([("a", pa.int64())])


def stream_of(batches: Iterator[pa.RecordBatch], schema: pa.Schema = SCHEMA) -> TableStream:
    return TableStream(Format.PARQUET, schema, batches, ["remark"], ["rule"], {"key": 1})


def rows(*values: int) -> pa.RecordBatch:
    return pa.record_batch({"a": list(values)}, schema=SCHEMA)


def test_the_stream_comes_through() -> None:
    with contained(lambda: stream_of(iter([rows(1, 2), rows(3)])), "it") as stream:
        assert (stream.format, stream.schema) == (Format.PARQUET, SCHEMA)
        assert [batch.to_pydict() for batch in stream.batches] == [{"a": [1, 2]}, {"a": [3]}]
        assert (stream.remarks, stream.rules, stream.reading) == (["remark"], ["rule"], {"key": 1})


def test_what_grew_until_the_last_batch_is_told_with_it() -> None:
    def made() -> TableStream:
        def batches() -> Iterator[pa.RecordBatch]:
            yield rows(1)
            stream.remarks.append("late")
            stream.reading["late"] = True

        stream = stream_of(batches())
        return stream

    with contained(made, "it") as stream:
        assert len([*stream.batches]) == 1
        assert (stream.remarks, stream.reading) == (["remark", "late"], {"key": 1, "late": True})


def test_what_is_added_here_stays_beside_what_the_reader_tells() -> None:
    with contained(lambda: stream_of(iter([rows(1)])), "it") as stream:
        stream.remarks.insert(0, "ours")
        assert len([*stream.batches]) == 1
        assert stream.remarks == ["ours", "remark"]


def test_rows_without_columns_are_counted() -> None:
    with contained(lambda: stream_of(iter([rows_without_columns(7)]), pa.schema([])), "it") as stream:
        assert [batch.num_rows for batch in stream.batches] == [7]


def test_a_batch_larger_than_any_pipe_comes_through() -> None:
    with contained(lambda: stream_of(iter([rows(*range(1_000_000))])), "it") as stream:
        assert next(stream.batches).column(0)[-1].as_py() == 999_999


def dies_of(number: int) -> TableStream:
    os.kill(os.getpid(), number)
    raise AssertionError("alive")


def dies_late() -> TableStream:
    def batches() -> Iterator[pa.RecordBatch]:
        yield rows(1)
        dies_of(signal.SIGSEGV)

    return stream_of(batches())


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT, signal.SIGKILL, signal.SIGBUS])
def test_a_reader_that_dies_is_a_problem_and_no_more(number: int) -> None:
    with pytest.raises(Refusal) as raised, contained(lambda: dies_of(number), "this file"):
        pass
    assert (raised.value.problem.code, raised.value.problem.detail) == (
        ProblemCode.UNREADABLE_FILE,
        "Reading this file ended the reader: the file is damaged, or claims more than memory holds.",
    )


def test_a_reader_that_dies_between_batches_is_the_same_problem() -> None:
    with pytest.raises(Refusal), contained(dies_late, "this file") as stream:
        assert [*stream.batches]


@pytest.mark.parametrize(
    "take", [lambda: pa.allocate_buffer(8 * GIB), lambda: bytearray(8 * GIB)], ids=["arrow", "python"]
)
def test_a_reader_that_needs_too_much_memory_is_told_so(take) -> None:
    with pytest.raises(NoTable) as raised, contained(lambda: stream_of(iter([take()])), "it", 100 * MIB):
        pass
    assert raised.value.note.startswith("Reading this file takes more than 104,857,600 bytes of memory")


def test_what_the_reader_refuses_is_refused_here() -> None:
    def refuses() -> TableStream:
        raise damaged("detail", "advice")

    with pytest.raises(Refusal) as raised, contained(refuses, "it"):
        pass
    assert (raised.value.problem.detail, raised.value.problem.advice) == ("detail", "advice")


def test_what_is_no_table_there_is_none_here() -> None:
    def none() -> TableStream:
        raise NoTable("note")

    with pytest.raises(NoTable, match="note"), contained(none, "it"):
        pass


def test_what_arrow_raises_there_is_a_problem_here() -> None:
    def raises() -> TableStream:
        raise pa.ArrowInvalid("offset of 12")

    with pytest.raises(Refusal, match=r"^The file can not be read as a table\.$"), contained(raises, "it"):
        pass


def test_a_mistake_of_ours_is_not_taken_for_damage() -> None:
    with pytest.raises(RuntimeError, match="ZeroDivisionError"), contained(lambda: stream_of(iter([1 / 0])), "it"):
        pass


@pytest.fixture
def forked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The processes that are forked from here on."""
    children: list[int] = []
    fork = os.fork

    def counted() -> int:
        child = fork()
        children.append(child)
        return child

    monkeypatch.setattr(os, "fork", counted)
    return children


def test_no_process_and_no_file_is_left_behind(forked: list[int]) -> None:
    before = len(os.listdir("/dev/fd"))
    with contained(lambda: stream_of(iter([rows(1)] * 100_000)), "it") as stream:
        next(stream.batches)
    with pytest.raises(Refusal), contained(dies_late, "it") as stream:
        assert [*stream.batches]
    assert (len(forked), len(os.listdir("/dev/fd"))) == (2, before)
    for child in forked:
        with pytest.raises(ProcessLookupError):  # ended, and waited for
            os.kill(child, 0)


def test_several_threads_read_at_once() -> None:
    found: list[int] = []

    def read(number: int) -> None:
        with contained(lambda: stream_of(iter([rows(number)] * 50)), "it") as stream:
            found.append(sum(batch.column(0)[0].as_py() for batch in stream.batches))

    threads = [threading.Thread(target=read, args=[number]) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [50 * number for number in range(8)]
