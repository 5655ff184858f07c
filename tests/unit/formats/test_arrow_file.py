"""How Arrow IPC is read, as a file and as a stream, and what a forged one can not do."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from session_datasets.domain.errors import ProblemCode
from session_datasets.domain.profile import Format
from tests.support.laid_out import laid_out, problem_of, understood
from tests.support.odd_files import arrow_file, arrow_stream

Writer = Callable[..., bytes]
WRITERS = pytest.mark.parametrize("write", [arrow_file, arrow_stream], ids=["file", "stream"])
TEXT = pa.string()
LONG = "a text that is longer than a view holds itself"


@pytest.mark.parametrize("compression", [None, "zstd", "lz4"])
@WRITERS
@pytest.mark.parametrize(
    ("type_", "values", "read_as"),
    [
        (pa.int64(), [1, None, -(2**40)], "int64"),
        (pa.float16(), [1.5, None], "halffloat"),
        (pa.bool_(), [True, None, False], "bool"),
        (pa.null(), [None, None], "null"),
        (TEXT, ["a", None, ""], "string"),
        (pa.large_string(), ["a", None], "large_string"),
        (pa.string_view(), ["a", None, LONG], "string"),
        (pa.dictionary(pa.int8(), TEXT), ["a", "b", None, "a"], "string"),
        (pa.dictionary(pa.uint32(), pa.int64()), [1, None, 1], "int64"),
        (pa.list_(pa.int8()), [[1, 2], None, []], "list<item: int8>"),
        (pa.large_list(TEXT), [["a"], None, []], "large_list<item: string>"),
        (pa.list_view(TEXT), [["a"], None, ["b", "c"], []], "list<item: string>"),
        (pa.large_list_view(TEXT), [["a"], None, ["b"]], "list<item: string>"),
        (pa.list_(TEXT, 0), [[], None, []], "list<item: string>"),
        (pa.binary(0), ["", None], "binary"),
        (pa.list_(pa.string_view(), 2), [["a", "b"], None, ["c", LONG]], "fixed_size_list<item: string>[2]"),
        (pa.struct([("x", pa.string_view()), ("y", pa.int8())]), [{"x": "a", "y": 1}, None], None),
    ],
    ids=str,
)
def test_values_of_every_type_come_through(
    write: Writer, compression: str | None, type_: pa.DataType, values: list[Any], read_as: str | None
) -> None:
    dataset = laid_out(write({"c": pa.array(values, type_)}, compression=compression), "rows.arrow")
    assert dataset.column("c") == values
    assert dataset.types["c"] == read_as or read_as is None


@WRITERS
def test_runs_are_read_as_their_values(write: Writer) -> None:
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([2, 3, 6], pa.int32()), pa.array(["a", None, "b"]))
    dataset = laid_out(write({"c": runs, "n": range(6)}, batch_rows=4), "rows.arrow")
    assert (dataset.types["c"], dataset.column("c")) == ("string", ["a", "a", None, "b", "b", "b"])


@WRITERS
def test_a_dictionary_of_views_is_read_as_its_values(write: Writer) -> None:
    column = pa.DictionaryArray.from_arrays(pa.array([1, None, 0]), pa.array(["a", LONG], pa.string_view()))
    dataset = laid_out(write({"c": column}), "rows.arrow")
    assert (dataset.types["c"], dataset.column("c")) == ("string", [LONG, None, "a"])


LAST_SECOND, LAST_IN_MILLISECONDS = 2**63 - 1, (2**63 - 1) // 1_000


@WRITERS
@pytest.mark.parametrize(
    ("zone", "spelled"),
    [(None, "+292277026596-12-04T15:30:07"), ("Europe/Paris", "+292277026596-12-04T15:30:07Z")],
    ids=["no zone", "a zone"],
)
def test_seconds_that_milliseconds_do_not_reach_are_kept_as_text(write: Writer, zone: str | None, spelled: str) -> None:
    values = pa.array([0, None, LAST_SECOND]).cast(pa.timestamp("s", zone))
    dataset = laid_out(write({"n": [1, 2, 3], "c": values}, batch_rows=2), "rows.arrow")
    assert (dataset.types["c"], dataset.column("c")[1:]) == ("string", [None, spelled])
    assert [each.rule for each in dataset.profile.statistics] == [
        "declared by the file",
        "seconds beyond milliseconds kept as text",
    ]
    assert dataset.table.note is not None
    assert "'c'" in dataset.table.note


def test_seconds_up_to_the_last_one_of_milliseconds_are_timestamps() -> None:
    for far, type_ in ((0, "timestamp[s]"), (1, "string")):
        counts = [-LAST_IN_MILLISECONDS - far, LAST_IN_MILLISECONDS]
        dataset = laid_out(arrow_file({"c": pa.array(counts).cast(pa.timestamp("s"))}), "rows.arrow")
        first = "-292275055-05-16T16:47:0" + str(5 - far)
        assert (dataset.types["c"], dataset.column("c")) == (type_, [first, "+292278994-08-17T07:12:55"])


def test_a_far_second_inside_a_nested_value_is_kept_as_text() -> None:
    counts = [[{"at": 0}], None, [{"at": -(2**63)}, None]]
    nested = pa.array(counts, pa.list_(pa.struct([("at", pa.int64())])))
    far = nested.cast(pa.list_(pa.struct([("at", pa.timestamp("s"))])))
    assert laid_out(arrow_file({"c": far}), "rows.arrow").column("c") == [
        [{"at": "1970-01-01T00:00:00"}],
        None,
        [{"at": "-292277022657-01-27T08:29:52"}, None],
    ]


@WRITERS
def test_the_rows_of_all_batches_follow_each_other(write: Writer) -> None:
    table = pa.table({"n": range(1_000), "d": pa.array([f"{n % 7}" for n in range(1_000)]).dictionary_encode()})
    dataset = laid_out(write(table, batch_rows=64), "rows")
    assert dataset.rows == [[n, f"{n % 7}"] for n in range(1_000)]


def test_a_dictionary_that_grows_is_read_with_what_was_added() -> None:
    batches = [pa.record_batch({"d": pa.array(values).dictionary_encode()}) for values in (["a"], ["a", "b"])]
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(emit_dictionary_deltas=True)
    with pa.ipc.new_stream(sink, batches[0].schema, options=options) as writer:
        for batch in batches:
            writer.write_batch(batch)
    assert writer.stats.num_dictionary_deltas == 1
    assert laid_out(sink.getvalue().to_pybytes(), "rows.arrows").rows == [["a"], ["a"], ["b"]]


def test_a_dictionary_that_is_replaced_in_a_stream_holds_from_there_on() -> None:
    batches = [pa.record_batch({"d": pa.array([text]).dictionary_encode()}) for text in ("a", "b")]
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batches[0].schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
    assert writer.stats.num_replaced_dictionaries == 1
    assert laid_out(sink.getvalue().to_pybytes(), "rows.arrows").rows == [["a"], ["b"]]


@WRITERS
@pytest.mark.parametrize("name", ["rows", "rows.feather", "rows.arrow", "rows.ipc"])
def test_the_format_is_found_in_the_bytes(write: Writer, name: str) -> None:
    table = understood(write({"a": [1]}), name)
    assert (table.format, table.note) == (Format.ARROW, None)


@WRITERS
def test_the_profile_says_that_the_types_are_the_files_own(write: Writer) -> None:
    profile = laid_out(write({"a": [1]}), "rows.arrow").profile
    assert profile.statistics[0].rule == "declared by the file"
    assert profile.reading == {"container": "file" if write is arrow_file else "stream"}


@WRITERS
def test_a_file_without_rows_and_one_without_columns_are_tables(write: Writer) -> None:
    assert laid_out(write({"a": pa.array([], pa.int64())}), "rows.arrow").profile.shape.rows == 0
    assert laid_out(write(pa.table({})), "rows.arrow").profile.shape.columns == 0


def test_feather_of_version_1_is_opaque_with_advice() -> None:
    note = understood(b"FEA1" + bytes(64) + b"FEA1", "rows").note or ""
    assert note.startswith("This is a Feather file of version 1 (write it again with pyarrow.feather.write_feather")


UNION = pa.UnionArray.from_dense(
    pa.array([0, 1], pa.int8()), pa.array([0, 0], pa.int32()), [pa.array([1]), pa.array(["z"])]
)
INTERVAL = pa.array([(1, 2, 3)], pa.month_day_nano_interval())
NESTED_RUNS = pa.ListArray.from_arrays([0, 2], pa.RunEndEncodedArray.from_arrays([2], ["a"]))


@pytest.mark.parametrize(
    "column",
    [UNION, INTERVAL, NESTED_RUNS, pa.StructArray.from_arrays([UNION], ["u"])],
    ids=["union", "interval", "runs in a list", "union in a struct"],
)
def test_types_without_rows_are_named_and_kept(column: pa.Array) -> None:
    table = understood(arrow_file({"odd": column}), "rows.arrow")
    assert table.format is Format.OTHER
    assert "have a type without rows that can be paged" in (table.note or "")
    assert "'odd'" in (table.note or "")


def test_a_stream_without_the_mark_of_its_end_is_read_and_that_is_told() -> None:
    dataset = laid_out(arrow_stream({"a": [1, 2]})[:-8], "rows.arrows")
    assert dataset.rows == [[1], [2]]
    assert dataset.table.note == (
        "The Arrow stream has no mark of its end: if its writer was interrupted, rows are missing."
    )


def test_a_second_stream_behind_the_first_is_not_lost_in_silence() -> None:
    one = arrow_stream({"a": [1]})
    detail = problem_of(one + one, "rows.arrows").detail
    assert detail == (
        f"The Arrow stream ends at byte {len(one):,} and {len(one):,} bytes follow, perhaps of another stream."
    )


@pytest.mark.parametrize("cut", [9, 40, 100])
def test_a_stream_that_is_cut_off_is_refused(cut: int) -> None:
    problem = problem_of(arrow_stream({"a": range(100)})[:-cut], "rows.arrows")
    assert (problem.code, problem.detail) == (
        ProblemCode.UNREADABLE_FILE,
        "The Arrow stream is cut off or damaged.",
    )


def test_a_file_that_is_cut_off_is_refused() -> None:
    problem = problem_of(arrow_file({"a": range(100)})[:-1], "rows.arrow")
    assert problem.detail == "The file begins like Arrow IPC but has no footer: it is cut off."


def forged(data: bytes, old: bytes, new: bytes) -> bytes:
    assert data.count(old) >= 1
    return data.replace(old, new)


def offsets(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}i", *values)


@WRITERS
@pytest.mark.parametrize(
    "bad",
    [(0, 77, 5, 111), (0, 2**31 - 1, 5, 111), (0, -5, 5, 111), (-(2**31), 3, 5, 111), (0, 3, 5, 2**31 - 1)],
    ids=["beyond the next", "huge", "negative", "negative first", "beyond the data"],
)
def test_offsets_that_point_anywhere_are_refused(write: Writer, bad: tuple[int, ...]) -> None:
    data = write({"t": ["x" * 3, "y" * 2, "z" * 106]})
    problem = problem_of(forged(data, offsets(0, 3, 5, 111), offsets(*bad)), "rows.arrow")
    assert (problem.code, problem.detail) == (ProblemCode.UNREADABLE_FILE, "The rows of this Arrow file are damaged.")


@WRITERS
def test_offsets_of_lists_that_point_anywhere_are_refused(write: Writer) -> None:
    data = write({"l": [[1] * 3, [2] * 2, [3] * 106]})
    problem = problem_of(forged(data, offsets(0, 3, 5, 111), offsets(0, 3, 5, 10**9)), "rows.arrow")
    assert problem.code is ProblemCode.UNREADABLE_FILE


@WRITERS
@pytest.mark.parametrize("place", [-1, 3, 2**31 - 1])
def test_places_outside_a_dictionary_are_refused(write: Writer, place: int) -> None:
    column = pa.DictionaryArray.from_arrays(pa.array([2, 0, 1, 2, 0, 1], pa.int32()), ["a", "b", "c"])
    data = forged(write({"d": column}), offsets(2, 0, 1, 2, 0, 1), offsets(2, 0, 1, place, 0, 1))
    assert problem_of(data, "rows.arrow").detail == "The rows of this Arrow file are damaged."


@WRITERS
def test_a_view_outside_its_bytes_is_refused(write: Writer) -> None:
    column = pa.array([LONG], pa.string_view())
    good = struct.pack("<i", len(LONG)) + LONG[:4].encode() + struct.pack("<ii", 0, 0)
    bad = struct.pack("<i", len(LONG)) + LONG[:4].encode() + struct.pack("<ii", 0, 10**9)
    assert problem_of(forged(write({"v": column}), good, bad), "rows.arrow").code is ProblemCode.UNREADABLE_FILE


@WRITERS
@pytest.mark.parametrize("holder", ["flat", "list", "dictionary"])
def test_a_null_among_views_may_point_anywhere(write: Writer, holder: str) -> None:
    wild = struct.pack("<iiii", 2**31 - 1, 7, 3, 2**31 - 1)
    text = pa.array([LONG, LONG], pa.string_view())
    places = text.buffers()[1].to_pybytes()[:16]
    validity = pa.py_buffer(b"\x05")
    views = pa.Array.from_buffers(
        pa.string_view(), 3, [validity, pa.py_buffer(places + wild + places), *text.buffers()[2:]]
    )
    column, cells = {
        "flat": (views, [LONG, None, LONG]),
        "list": (pa.ListArray.from_arrays([0, 2, 3], views), [[LONG, None], [LONG]]),
        "dictionary": (pa.DictionaryArray.from_arrays(pa.array([1, 2, 0]), views), [None, LONG, LONG]),
    }[holder]
    assert laid_out(write({"v": column}), "rows.arrow").column("v") == cells


@WRITERS
def test_text_that_is_not_utf_8_is_refused(write: Writer) -> None:
    assert problem_of(forged(write({"t": ["naïve"]}), "naïve".encode(), b"na\xff\xfeve"), "rows.arrow").code is (
        ProblemCode.UNREADABLE_FILE
    )


@WRITERS
@pytest.mark.parametrize("rows", [10**12, 2**62])
def test_more_rows_than_are_laid_out_are_counted_before_they_are_made(write: Writer, rows: int) -> None:
    data = write({"n": pa.nulls(123_457)})
    table = understood(forged(data, struct.pack("<q", 123_457), struct.pack("<q", rows)), "rows.arrow")
    assert table.format is Format.OTHER
    assert "larger than" in (table.note or "")


@WRITERS
def test_a_negative_number_of_rows_is_refused(write: Writer) -> None:
    data = forged(write({"n": pa.nulls(123_457)}), struct.pack("<q", 123_457), struct.pack("<q", -1))
    assert problem_of(data, "rows.arrow").detail == "A batch of this Arrow file claims a negative size."


@WRITERS
@pytest.mark.parametrize("claimed", [2 << 30, 2**62])
def test_what_a_compressed_batch_claims_is_read_before_it_is_decompressed(write: Writer, claimed: int) -> None:
    data = write({"n": [7] * 100_000}, compression="zstd")
    table = understood(forged(data, struct.pack("<q", 800_000), struct.pack("<q", claimed)), "rows.arrow")
    assert (table.note or "").startswith(f"A batch of this Arrow file takes {claimed:,} bytes once decompressed")


@WRITERS
def test_a_compressed_batch_of_another_size_than_it_claims_is_refused(write: Writer) -> None:
    data = write({"n": [7] * 100_000}, compression="zstd")
    claim = struct.pack("<q", 800_000), struct.pack("<q", 900_000)
    assert problem_of(forged(data, *claim), "rows.arrow").detail == "The rows of this Arrow file are damaged."


@WRITERS
def test_repeated_texts_are_counted_before_they_are_written_out(write: Writer) -> None:
    column = pa.DictionaryArray.from_arrays(pa.array([0] * 100_000, pa.int32()), ["x" * 100_000])
    table = understood(write({"d": column}), "rows.arrow", decoded_bytes_max=100_000_000)
    assert (table.note or "").startswith("The rows of this Arrow file are larger than 100,000,000 bytes once decoded")


def test_long_runs_are_counted_before_they_are_written_out() -> None:
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([1_000_000], pa.int64()), pa.array(["x" * 10_000]))
    table = understood(arrow_stream({"r": runs}), "rows.arrow", decoded_bytes_max=100_000_000)
    assert (table.note or "").startswith("The rows of this Arrow file are larger than 100,000,000 bytes once decoded")


def test_views_of_the_same_bytes_are_counted_before_they_are_written_out() -> None:
    text = pa.array(["x" * 100_000], pa.string_view())
    view = text.buffers()[1].to_pybytes()[:16]
    column = pa.Array.from_buffers(pa.string_view(), 100_000, [None, pa.py_buffer(view * 100_000), *text.buffers()[2:]])
    table = understood(arrow_file({"v": column}), "rows.arrow", decoded_bytes_max=100_000_000)
    assert (table.note or "").startswith("The rows of this Arrow file are larger than 100,000,000 bytes once decoded")


@WRITERS
@pytest.mark.parametrize("column", [pa.array([1]), pa.array([{"naxme": 1}])], ids=["column", "field"])
def test_a_name_that_is_not_utf_8_is_refused(write: Writer, column: pa.Array) -> None:
    data = write({"naxme" if column.type == pa.int64() else "t": column})
    problem = problem_of(forged(data, b"naxme", b"na\xffme"), "rows.arrow")
    assert (problem.code, problem.detail) == (
        ProblemCode.UNREADABLE_FILE,
        "The schema of this Arrow file can not be read.",
    )


def test_sizes_beyond_every_file_are_refused() -> None:
    good = arrow_stream({"a": [1]}, compression="zstd")
    for place in range(0, len(good) - 8, 8):
        bad = good[:place] + b"\xff" * 7 + b"\x7f" + good[place + 8 :]
        assert understood(bad, "rows").format in (Format.ARROW, Format.OTHER)
