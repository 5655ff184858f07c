"""Whatever happens to a file, it is a table, an opaque file or refused; and no refusal tells our paths."""

from __future__ import annotations

import bz2
import gzip

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from session_datasets.domain.errors import Problem, ProblemCode, Refusal
from tests.support.laid_out import laid_out, understood
from tests.support.odd_files import arrow_file, arrow_stream, json_lines, npy, parquet
from tests.support.workbooks import workbook

TABLE = pa.table(
    {
        "a": [1, None],
        "t": ["x", "yy"],
        "d": pa.array(["p", None]).dictionary_encode(),
        "l": [["y"], None],
        "v": pa.array(["a text longer than a view holds", "b"], pa.string_view()),
        "r": pa.RunEndEncodedArray.from_arrays([1, 2], ["u", "w"]),
    }
)
WHOLE = {
    "rows.csv": b'id,when,x,name\n1,2024-01-01T00:00:00Z,1.5,"a, ""b"""\n2,,,\n3,2024-01-02T00:00:00Z,nan,c\n',
    "rows.json": b'[{"a":1,"b":[1,2.5,null],"c":{"d":"e"}},{"a":2,"f":true}]',
    "rows.jsonl": json_lines([{"a": 1, "b": [1, 2.5]}, {"a": "x"}, {}]),
    "rows.parquet": parquet({"a": [1, None], "t": ["x", "x"], "l": [["y"], None]}),
    "rows.csv.gz": gzip.compress(b"a,b\n1,2\n" * 20, mtime=0),
    "rows.csv.bz2": bz2.compress(b"a,b\n1,2\n" * 20),
    "rows.csv.zst": pa.Codec("zstd").compress(b"a,b\n1,2\n" * 20).to_pybytes(),
    "rows.arrow": arrow_file(TABLE),
    "rows.feather": arrow_file(TABLE, compression="zstd"),
    "rows.arrows": arrow_stream(TABLE),
    "rows.npy": npy(np.array([(1, "a", 2.5)], dtype=[("i", ">i4"), ("t", "U3"), ("f", "f8")])),
    "rows.xlsx": workbook({"A": [["a", "b"], [1, "x"], [True, 2.5]]}),
}
ALLOWED = {ProblemCode.UNREADABLE_FILE, ProblemCode.EMPTY_FILE}


def refusal_of(data: bytes, name: str) -> Problem | None:
    """Lays the bytes out, and reads a page where there are rows; the problem, if that is refused."""
    try:
        if understood(data, name).layout_name is not None:
            laid_out(data, name).page(0, 100)
    except Refusal as refusal:
        return refusal.problem
    return None


@settings(max_examples=200, deadline=None)
@given(
    name=st.sampled_from(sorted(WHOLE)),
    changes=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), max_size=4),
    keep=st.floats(0.2, 1) | st.just(1.0),
)
def test_a_damaged_file_is_read_kept_or_refused(name: str, changes: list[tuple[float, int]], keep: float) -> None:
    data = bytearray(WHOLE[name])
    for place, value in changes:
        data[int(place * len(data))] = value
    problem = refusal_of(bytes(data[: int(len(data) * keep)]), name)
    assert problem is None or (problem.code in ALLOWED and "/tmp" not in problem.detail)


@settings(max_examples=100, deadline=None)
@given(
    name=st.sampled_from([*sorted(WHOLE), "rows"]),
    data=st.binary(min_size=1, max_size=60) | st.text(st.characters(codec="utf-8"), min_size=1).map(str.encode),
)
def test_any_bytes_are_read_kept_or_refused(name: str, data: bytes) -> None:
    problem = refusal_of(data, name)
    assert problem is None or problem.code in ALLOWED
