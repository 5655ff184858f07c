"""How NumPy arrays become tables."""

from __future__ import annotations

import base64
import io
from typing import Any

import numpy as np
import pytest

from session_datasets.domain.errors import ProblemCode
from session_datasets.domain.profile import Format
from tests.support.laid_out import laid_out, problem_of, understood
from tests.support.odd_files import npy, zip_file


@pytest.mark.parametrize(
    ("array", "type_", "cells"),
    [
        (np.array([1, -2], "<i4"), "int32", [1, -2]),
        (np.array([1, -2], ">i8"), "int64", [1, -2]),
        (np.array([1, 255], "u1"), "uint8", [1, 255]),
        (np.array([1.5, np.nan, np.inf], ">f2"), "halffloat", [1.5, "NaN", "Infinity"]),
        (np.array([0.1], "<f4"), "float", [0.1]),
        (np.array([0.1, -0.0], ">f8"), "double", [0.1, -0.0]),
        (np.array([True, False]), "bool", [True, False]),
        (np.array([2, 0], "u1").view("?"), "bool", [True, False]),
        (np.array(["a", "", "b\x00c", "漢"], ">U3"), "string", ["a", "", "b\x00c", "漢"]),
        (np.array([b"a", b"b\x00\xff"]), "binary", [base64.b64encode(each).decode() for each in (b"a", b"b\x00\xff")]),
        (np.array(["2024-02-29", "NaT"], "M8[D]"), "date32[day]", ["2024-02-29", None]),
        (np.array(["NaT", "2024-02-29T01:02:03"], ">M8[s]"), "timestamp[s]", [None, "2024-02-29T01:02:03"]),
        (
            np.array([2**62, 0, -(2**63)]).view("M8[s]"),
            "string",
            ["+146138514283-06-19T07:45:04", "1970-01-01T00:00:00", None],
        ),
        (np.array([1], "M8[ns]"), "timestamp[ns]", ["1970-01-01T00:00:00.000000001"]),
        (np.array([1500, "NaT"], "m8[ms]"), "duration[ms]", ["PT1.500S", None]),
        (np.array([], "i8"), "int64", []),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_values_of_every_type_come_through(array: Any, type_: str, cells: list[Any]) -> None:
    dataset = laid_out(npy(array), "rows.npy")
    assert (dataset.types, dataset.column("value")) == ({"value": type_}, cells)


@pytest.mark.parametrize("order", ["C", "F"])
def test_the_second_dimension_is_the_columns_in_either_order(order: Any) -> None:
    dataset = laid_out(npy(np.array([[1, 2, 3], [4, 5, 6]], order=order)), "rows.npy")
    assert [*dataset.types] == ["column_1", "column_2", "column_3"]
    assert dataset.rows == [[1, 2, 3], [4, 5, 6]]


def test_an_array_without_dimensions_is_one_row() -> None:
    assert laid_out(npy(np.array(5)), "rows.npy").rows == [[5]]


@pytest.mark.parametrize("version", [(1, 0), (2, 0)])
def test_the_fields_of_a_structured_type_are_the_columns(version: tuple[int, int]) -> None:
    fields = [("id", ">i2"), ("name", "U2"), ("at", "M8[us]"), ("z", "c16")]
    array = np.array([(1, "a", "2024-01-01", 1 + 2j), (2, "b", "NaT", 0)], dtype=fields)
    dataset = laid_out(npy(array, version), "rows.npy")
    assert [*dataset.types] == ["id", "name", "at", "z.real", "z.imag"]
    assert dataset.rows == [[1, "a", "2024-01-01T00:00:00.000000", 1.0, 2.0], [2, "b", None, 0.0, 0.0]]


@pytest.mark.filterwarnings("ignore:Stored array in format 3.0")
def test_fields_have_names_in_any_script() -> None:
    array = np.array([(1, 2)], dtype=[("größe", "i4"), ("名前", "i4")])
    assert [*laid_out(npy(array, (3, 0)), "rows.npy").types] == ["größe", "名前"]


@pytest.mark.parametrize("kind", ["c8", ">c16"])
def test_complex_numbers_are_two_columns(kind: str) -> None:
    dataset = laid_out(npy(np.array([1 + 2j, -0.5j], kind)), "rows.npy")
    assert dataset.types == dict.fromkeys(["value.real", "value.imag"], "float" if kind == "c8" else "double")
    assert dataset.rows == [[1.0, 2.0], [-0.0, -0.5]]


@pytest.mark.parametrize(("shape", "rows", "columns"), [((0,), 0, 1), ((0, 3), 0, 3), ((3, 0), 3, 0)])
def test_arrays_without_values_have_their_shape(shape: tuple[int, ...], rows: int, columns: int) -> None:
    found = laid_out(npy(np.zeros(shape)), "rows.npy").profile.shape
    assert (found.rows, found.columns) == (rows, columns)


def test_the_profile_says_what_the_array_was() -> None:
    profile = laid_out(npy(np.zeros((2, 1), ">f4")), "rows.npy").profile
    assert profile.reading == {"shape": [2, 1], "dtype": ">f4"}
    assert profile.statistics[0].rule == "declared by the file"


def test_rows_beyond_one_batch_follow_each_other() -> None:
    array = np.arange(3_000_000, dtype="<i4")
    dataset = laid_out(npy(array), "rows.npy")
    assert dataset.page(2_097_150, 4).rows == [[2_097_150], [2_097_151], [2_097_152], [2_097_153]]


@pytest.mark.parametrize(
    ("array", "told"),
    [
        (np.zeros((2, 2, 2)), "has 3 dimensions"),
        (np.zeros((2, 2), [("a", "i4")]), "of records has 2 dimensions"),
        (np.zeros(2, "g"), "values of type float128"),
        (np.zeros(2, [("a", "i4", 3)]), "values of type ('<i4', (3,))"),
        (np.zeros(2, "V4"), "values of type |V4"),
        (np.array(["2024"], "M8[Y]"), "values of type datetime64[Y]"),
        (np.array([1], "m8[25us]"), "values of type timedelta64[25us]"),
    ],
    ids=["cube", "matrix of records", "long double", "inner array", "void", "years", "odd unit"],
)
def test_what_has_no_columns_without_loss_is_kept_with_advice(array: Any, told: str) -> None:
    table = understood(npy(array), "rows.npy")
    assert table.format is Format.OTHER
    assert told in (table.note or "")
    assert (table.note or "").endswith("it can be paged, too.")


def test_python_objects_are_kept_and_never_loaded() -> None:
    class Loud:
        def __reduce__(self) -> Any:
            return (exit, (3,))

    note = understood(npy(np.array([Loud()], object)), "rows.npy").note or ""
    assert note.startswith("This NumPy array holds Python objects, which only running its writer's code could read.")


@pytest.mark.parametrize("cut", [1, 79])
def test_an_array_that_is_cut_off_is_refused(cut: int) -> None:
    problem = problem_of(npy(np.arange(10))[:-cut], "rows.npy")
    assert problem.code is ProblemCode.UNREADABLE_FILE
    assert problem.detail == f"The NumPy file announces 80 bytes of values and holds {80 - cut}: it is cut off."


def test_a_second_array_behind_the_first_is_not_lost_in_silence() -> None:
    data = npy(np.arange(3))
    assert problem_of(data + data, "rows.npy").detail == (
        f"{len(data)} bytes follow the values of this NumPy file, perhaps of a second array."
    )


HEADER = b"{'descr': '<i8', 'fortran_order': False, 'shape': (3,), }"


@pytest.mark.parametrize(
    "header",
    [
        b"{'descr': '<i8', 'fortran_order': False, 'shape': (-3,), }",
        b"{'descr': '<i8', 'fortran_order': False, 'shape': (-3, -1), }",
        b"{'descr': '<i8', 'fortran_order': False, 'shape': (True, 3), }",
        b"{'descr': '<i8', 'fortran_order': False, 'shape': (0, 9223372036854775807), }",
        b"{'descr': '<i8', 'fortran_order': False, 'shape': (4611686018427387904, 0, 4611686018427387904), }",
        b"{'descr': '<i8', 'fortran_order': False, 'shape': (3," + b"1," * 99 + b"), }",
        b"{'descr': '<i8', 'fortran_order': False, 'shape': (9**99,), }",
        b"{'descr': '<i8', 'fortran_order': False, 'shape': (4000000000000,), }",
        b"{'descr': '<i8', 'fortran_order': False}",
        b"{'descr': 'zz', 'fortran_order': False, 'shape': (3,), }",
        b"__import__('os').abort()",
        b"(" * 9_000,
        b"\xff" * 57,
    ],
)
def test_a_forged_header_is_refused(header: bytes) -> None:
    data = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(24)
    assert problem_of(data, "rows.npy").code is ProblemCode.UNREADABLE_FILE


def test_a_header_of_gigabytes_is_refused() -> None:
    data = b"\x93NUMPY\x02\x00" + (2**31).to_bytes(4, "little") + HEADER
    assert problem_of(data, "rows.npy").detail == "The header of this NumPy file can not be read."


def test_rows_that_take_no_bytes_are_counted_against_the_budget() -> None:
    header = b"{'descr': '<U0', 'fortran_order': False, 'shape': (5000000000,), }"
    data = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    assert (understood(data, "rows.npy").note or "").startswith("The rows of this NumPy file are larger than")


def test_text_that_is_no_unicode_is_refused() -> None:
    data = npy(np.array(["ab"]))[:-8] + b"\x00\x00\x11\x00" + b"a\x00\x00\x00"
    assert problem_of(data, "rows.npy").detail == "This NumPy array has a text that is not valid Unicode."


def test_a_date_beyond_what_dates_hold_is_refused() -> None:
    assert problem_of(npy(np.array([2**40], "M8[D]")), "rows.npy").detail == (
        "This NumPy array has a date beyond the year 5,000,000."
    )


def test_an_archive_of_arrays_is_opaque_with_advice() -> None:
    sink = io.BytesIO()
    np.savez(sink, a=np.arange(3))
    for data in (sink.getvalue(), zip_file("a.npy", "b.npy")):
        assert (understood(data, "rows.npz").note or "").startswith(
            "This is a NumPy archive (.npz; save the array that is the table with numpy.save): it can be listed"
        )
