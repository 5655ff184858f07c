"""What lies inside a slice of nested values is what lies inside its rows."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from session_datasets.formats.values.nested import children, decoded_bytes, leaves

TEXT = pa.string()
NESTED: list[tuple[pa.DataType, list[Any]]] = [
    (pa.list_(TEXT), [["a"], None, ["b", "cc"], []]),
    (pa.large_list(TEXT), [["a"], None, ["b", "cc"], []]),
    (pa.list_view(TEXT), [["a"], None, ["b", "cc"], []]),
    (pa.list_(TEXT, 2), [["a", "b"], None, ["c", "d"], ["e", None]]),
    (pa.struct([("x", TEXT), ("y", pa.list_(pa.int8()))]), [{"x": "a", "y": [1]}, None, {"x": "b", "y": [2, 3]}, {}]),
    (pa.map_(TEXT, pa.int64()), [[("a", 1)], None, [("b", 2), ("c", 3)], []]),
    (pa.map_(TEXT, pa.map_(TEXT, TEXT)), [[("a", [("b", "c")])], None, [("d", [("e", "f"), ("g", None)])], []]),
    (pa.list_(pa.map_(TEXT, pa.bool_())), [[[("a", True)]], None, [[("b", False)], None], []]),
]


@pytest.mark.parametrize(("type_", "values"), NESTED, ids=lambda value: str(value)[:40])
def test_a_slice_has_the_children_leaves_and_bytes_of_its_own_rows(type_: pa.DataType, values: list[Any]) -> None:
    whole = pa.array(values * 50, type_)
    for begin, end in ((0, 1), (1, 2), (2, 4), (7, 11)):
        part, alone = whole.slice(begin, end - begin), pa.array((values * 50)[begin:end], type_)
        assert [child.to_pylist() for child in children(part)] == [child.to_pylist() for child in children(alone)]
        assert [leaf.to_pylist() for leaf in leaves(part)] == [leaf.to_pylist() for leaf in leaves(alone)]
        # A slice's offsets and validity may lie a few bytes off the start of a byte.
        assert abs(decoded_bytes(part) - decoded_bytes(alone)) < 16
        assert decoded_bytes(part) < decoded_bytes(whole) / 10


def test_flat_values_are_their_only_leaf() -> None:
    assert list(leaves(pa.array([1, 2]))) == [pa.array([1, 2])]
    assert children(pa.array([1, 2])) == []


@pytest.mark.parametrize("type_", [pa.null(), pa.bool_(), pa.int8(), pa.struct([])])
def test_every_value_counts_at_least_one_byte_on_any_level(type_: pa.DataType) -> None:
    items = pa.nulls(1_000, type_)
    assert decoded_bytes(items) >= 1_000
    assert decoded_bytes(pa.ListArray.from_arrays([0, 1_000], items)) >= 1_000


def test_a_text_that_a_dictionary_repeats_counts_each_time() -> None:
    texts = pa.array(["x" * 100] * 50).dictionary_encode()
    assert decoded_bytes(texts) == 50 * 104
    assert decoded_bytes(pa.MapArray.from_arrays([0, 50], texts, pa.array([True] * 50))) == 4 + 50 * 105
