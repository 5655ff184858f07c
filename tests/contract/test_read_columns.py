from __future__ import annotations

import json

import pytest

from session_datasets.domain.limits import (
    LAMBDA_REPLY_BYTES_MAX,
    SERIES_COLUMNS_MAX,
    SERIES_POINTS_MAX,
    SERIES_POINTS_MIN,
)
from tests.support.moto_cloud import MotoCloud
from tests.support.sessions import Opened, Session, problem_code

ROWS = 10_000


@pytest.fixture
def node(opened: Opened) -> Session:
    return opened(run_id="run-1")


@pytest.fixture
def series(node: Session) -> dict[str, object]:
    """10,000 rows: n counts up, gap is n but null in every tenth row, word is text."""
    lines = ["n,gap,word", *(f"{n},{'' if n % 10 == 0 else n},w{n}" for n in range(ROWS))]
    reference: dict[str, object] = node.register("series.csv", "\n".join(lines).encode())["reference"]
    return reference


def test_a_small_window_is_exact_with_gaps_kept(node: Session, series: dict[str, object]) -> None:
    answer = node.call("read_columns", reference=series, columns=["gap", "n"], offset=9, rows=3)
    assert answer["method"] == "exact"
    assert [column["values"] for column in answer["columns"]] == [[9, None, 11], [9, 10, 11]]
    assert [column["nulls"] for column in answer["columns"]] == [1, 0]
    assert (answer["offset"], answer["rows"], answer["total"], answer["bucket_rows"]) == (9, 3, ROWS, 1)


def test_a_window_of_as_many_rows_as_points_is_exact_and_one_more_is_not(
    node: Session, series: dict[str, object]
) -> None:
    at = node.call("read_columns", reference=series, columns=["n"], rows=100, max_points=100)
    above = node.call("read_columns", reference=series, columns=["n"], rows=101, max_points=100)
    assert (at["method"], above["method"]) == ("exact", "min_max")


def test_a_wide_window_gives_min_and_max_of_each_bucket(node: Session, series: dict[str, object]) -> None:
    answer = node.call("read_columns", reference=series, columns=["n"], max_points=200)
    (column,) = answer["columns"]
    assert answer["method"] == "min_max"
    assert answer["bucket_rows"] == 100
    assert column["min"] == [100 * bucket for bucket in range(100)]
    assert column["max"] == [100 * bucket + 99 for bucket in range(100)]


def test_a_wide_window_is_widened_to_whole_buckets_and_the_answer_says_so(
    node: Session, series: dict[str, object]
) -> None:
    answer = node.call("read_columns", reference=series, columns=["n"], offset=1_050, rows=4_000, max_points=82)
    assert (answer["offset"], answer["rows"], answer["bucket_rows"]) == (1_000, 4_100, 100)
    assert (answer["columns"][0]["min"][0], answer["columns"][0]["max"][-1]) == (1_000, 5_099)


def test_what_is_missing_is_counted_in_a_reduced_series(node: Session, series: dict[str, object]) -> None:
    column = node.call("read_columns", reference=series, columns=["gap"], max_points=200)["columns"][0]
    assert {name: column[name] for name in ("missing", "nulls", "nans", "gaps")} == {
        "missing": 1_000,
        "nulls": 1_000,
        "nans": 0,
        "gaps": 0,
    }


def test_a_bucket_of_nothing_but_nulls_is_a_gap(node: Session) -> None:
    body = b"v,w\n" + b"".join(b"%s,0\n" % (b"" if 100 <= n < 200 else b"1") for n in range(400))
    reference = node.register("gap.csv", body)["reference"]
    column = node.call("read_columns", reference=reference, columns=["v"], max_points=8)["columns"][0]
    assert (column["min"], column["gaps"], column["missing"]) == ([1, None, 1, 1], 1, 100)


def test_an_axis_comes_beside_the_columns_with_its_order(node: Session, series: dict[str, object]) -> None:
    answer = node.call("read_columns", reference=series, columns=["gap"], x="n", offset=9, rows=3)
    assert answer["x"] == {
        "name": "n", "type": "int64", "missing": 0, "gaps": 0, "nulls": 0, "nans": 0,
        "values": [9, 10, 11], "order": "ascending",
    }  # fmt: skip
    assert [column["name"] for column in answer["columns"]] == ["gap"]
    assert "x" not in node.call("read_columns", reference=series, columns=["gap"], rows=3)


@pytest.mark.parametrize("method", ["lttb", "m4"])
def test_chosen_rows_come_with_their_numbers_and_their_axis(
    node: Session, series: dict[str, object], method: str
) -> None:
    answer = node.call("read_columns", reference=series, columns=["gap"], x="n", max_points=40, method=method)
    (column,) = answer["columns"]
    assert (answer["method"], answer["offset"], answer["rows"], answer["bucket_rows"]) == (method, 0, ROWS, 1)
    assert column["values"] == column["rows"] == column["x"]
    assert (column["gaps"], column["rows"][0], column["rows"][-1]) == (1_000, 1, ROWS - 1)
    assert 20 <= len(column["values"]) <= 40


def test_nulls_inside_nested_values_are_kept(node: Session) -> None:
    reference = node.register("n.jsonl", b'{"o": {"a": null, "b": 1}}\n{"o": {"a": 2, "b": null}}\n')["reference"]
    answer = node.call("read_columns", reference=reference, columns=["o"])
    assert answer["columns"][0]["values"] == [{"a": None, "b": 1}, {"a": 2, "b": None}]


def test_a_chart_of_a_long_dataset_is_one_small_request_for_each_column(cloud: MotoCloud, node: Session) -> None:
    body = b"n,v\n" + b"".join(b"%d,%d\n" % (n, n * 7919 % 10_007) for n in range(100_000))
    reference = node.register("long.csv", body)["reference"]
    node.call("read_columns", reference=reference, columns=["v"])
    with cloud.counted_requests() as counts:
        answer = node.call("read_columns", reference=reference, columns=["v"])
    assert counts == {"s3.GetObject": 1}
    assert (answer["method"], answer["s3_requests"]) == ("min_max", 1)
    assert 0 < answer["bytes_read"] <= 40_000
    with cloud.counted_requests() as counts:
        answer = node.call("read_columns", reference=reference, columns=["v"], x="n")
    assert counts == {"s3.GetObject": 2}
    assert (answer["s3_requests"], answer["x"]["order"]) == (2, "ascending")


def test_a_text_column_can_not_be_reduced_and_the_advice_is_a_narrower_window(
    node: Session, series: dict[str, object]
) -> None:
    refused = node.call("read_columns", reference=series, columns=["word"], max_points=100)
    assert problem_code(refused) == "invalid-request"
    assert "window" in refused["problem"]["advice"]


def test_a_text_column_in_a_small_window_is_exact(node: Session, series: dict[str, object]) -> None:
    answer = node.call("read_columns", reference=series, columns=["word"], rows=2)
    assert answer["columns"][0]["values"] == ["w0", "w1"]


def test_a_window_past_the_end_is_empty(node: Session, series: dict[str, object]) -> None:
    answer = node.call("read_columns", reference=series, columns=["n"], offset=ROWS)
    assert (answer["rows"], answer["columns"][0]["values"]) == (0, [])


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("columns", []),
        ("columns", ["n"] * (SERIES_COLUMNS_MAX + 1)),
        ("offset", -1),
        ("rows", 0),
        ("max_points", SERIES_POINTS_MIN - 1),
        ("method", "average"),
        ("x", 7),
        ("max_points", SERIES_POINTS_MAX + 1),
    ],
)
def test_out_of_range_is_refused_with_the_field_named(
    node: Session, series: dict[str, object], field: str, value: object
) -> None:
    refused = node.call("read_columns", **{"reference": series, "columns": ["n"], field: value})
    assert problem_code(refused) == "invalid-request"
    assert refused["problem"]["detail"].startswith(field)


def test_many_columns_of_many_points_have_fewer_points_each_and_fit_an_answer(node: Session) -> None:
    names = [f"c{number}" for number in range(20)]
    line = ",".join(["123456789.123456"] * 20)
    body = "\n".join([",".join(names), *[line] * 25_000]).encode()
    reference = node.register("wide.csv", body)["reference"]
    answer = node.call("read_columns", reference=reference, columns=names, max_points=SERIES_POINTS_MAX)
    assert answer["method"] == "min_max"
    assert len(json.dumps(answer)) < LAMBDA_REPLY_BYTES_MAX / 2


def test_a_window_of_long_texts_beyond_an_answer_is_refused_and_the_proposed_one_fits(node: Session) -> None:
    body = b"essay,n\n" + b"".join(b"%s,%d\n" % (b"x" * 10_000, n) for n in range(1_000))
    reference = node.register("essays.csv", body)["reference"]
    refused = node.call("read_columns", reference=reference, columns=["essay"])
    assert problem_code(refused) == "too-large"
    narrower = refused["problem"]["retry_with"]
    answer = node.call("read_columns", reference=reference, columns=["essay"], **narrower)
    assert len(answer["columns"][0]["values"]) == narrower["rows"] > 100


def test_one_row_beyond_an_answer_is_not_told_to_ask_the_same_again(node: Session) -> None:
    reference = node.register("essay.csv", b"essay,n\n" + b"x" * 5_000_000 + b",1\n")["reference"]
    refused = node.call("read_columns", reference=reference, columns=["essay"])
    assert problem_code(refused) == "too-large"
    assert "retry_with" not in refused["problem"]
    assert "read_rows" in refused["problem"]["advice"]


def test_an_unknown_column_is_told_with_near_names(node: Session, series: dict[str, object]) -> None:
    refused = node.call("read_columns", reference=series, columns=["wrod"])
    assert problem_code(refused) == "unknown-column"
    assert refused["problem"]["did_you_mean"] == ["word"]
