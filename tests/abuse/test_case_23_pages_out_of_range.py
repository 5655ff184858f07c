"""Pages with offset -1 or 10^18, exactly at the end, with a limit of 0 or a million, of unknown or repeated columns, of
rows that fit no answer.

What is out of range is refused with the range; at the end and past it is an empty page; what is too much becomes a
page that shrank and says so. No answer comes near the six megabytes that Lambda gives back, however its cells escape.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from session_datasets.domain.limits import (
    ARROW_PAGE_ROWS_MAX,
    LAMBDA_REPLY_BYTES_MAX,
    OFFSET_MAX,
    PAGE_BYTES_MAX,
    PAGE_BYTES_MIN,
    PAGE_CELLS_MAX,
    PAGE_ROWS_MAX,
    SERIES_POINTS_MAX,
)
from tests.support.odd_files import json_lines, parquet
from tests.support.sessions import Answer, Session, problem_code

ROWS = 1_000


@pytest.fixture
def numbers(node: Session) -> Answer:
    body = b"n,word\n" + b"".join(b"%d,w%d\n" % (n, n) for n in range(ROWS))
    reference: Answer = node.register("a.csv", body)["reference"]
    return reference


RANGES = {
    "offset": ([-1, -(10**18), OFFSET_MAX + 1, 10**18, 2**64, 1e300], f"offset takes 0 to {OFFSET_MAX:,}."),
    "limit": (
        [0, -1, PAGE_ROWS_MAX + 1, 10**6, 10**30],
        f"limit takes 1 to {PAGE_ROWS_MAX:,}. With format arrow it takes up to {ARROW_PAGE_ROWS_MAX:,}.",
    ),
    "max_bytes": ([0, PAGE_BYTES_MIN - 1, PAGE_BYTES_MAX + 1, 2**63], "max_bytes takes 1,024 to 4,194,304."),
}
OUT_OF_RANGE = [(field, value) for field, (values, _) in RANGES.items() for value in values]


@pytest.mark.parametrize(("field", "value"), OUT_OF_RANGE)
def test_what_is_out_of_range_is_refused(node: Session, numbers: Answer, field: str, value: float) -> None:
    refused = node.call("read_rows", reference=numbers, **{field: value})
    assert problem_code(refused) == "invalid-request"
    assert refused["problem"]["detail"].startswith(field)


@pytest.mark.parametrize("field", RANGES)
def test_the_advice_is_the_range(node: Session, numbers: Answer, field: str) -> None:
    values, advice = RANGES[field]
    told = node.call("read_rows", reference=numbers, **{field: values[0]})["problem"]["advice"]
    assert told == advice


@pytest.mark.parametrize("value", ["0", "1", 1.5, True, [1], {}, float("nan")], ids=str)
@pytest.mark.parametrize("field", RANGES)
def test_what_is_no_integer_is_no_number_of_rows(node: Session, numbers: Answer, field: str, value: object) -> None:
    assert problem_code(node.call("read_rows", reference=numbers, **{field: value})) == "invalid-request"


@pytest.mark.parametrize("format", ["json", "arrow"])
@pytest.mark.parametrize("offset", [ROWS, ROWS + 1, OFFSET_MAX])
def test_at_the_end_and_past_it_is_an_empty_page(node: Session, numbers: Answer, offset: int, format: str) -> None:
    page = node.call("read_rows", reference=numbers, offset=offset, format=format)
    assert (page["returned"], page["total"], page["next_offset"], page["limit_hit"]) == (0, ROWS, None, None)
    assert len(page["columns"]) == 2


def test_a_page_that_ends_exactly_at_the_end_has_no_next(node: Session, numbers: Answer) -> None:
    page = node.call("read_rows", reference=numbers, offset=ROWS - 10, limit=10)
    assert (page["returned"], page["next_offset"], page["limit_hit"]) == (10, None, None)


@pytest.mark.parametrize("limit", [1, 7, 100, 999, 1_000])
def test_pages_join_to_the_whole_without_gaps_or_repeats(node: Session, numbers: Answer, limit: int) -> None:
    offset, seen = 0, []
    while offset is not None:
        page = node.call("read_rows", reference=numbers, offset=offset, limit=limit, columns=["n"])
        seen += [row[0] for row in page["rows"]]
        offset = page["next_offset"] if len(seen) < 5 * limit else None
    assert seen == list(range(len(seen)))
    assert len(seen) == min(ROWS, 5 * limit)


COLUMNS: dict[str, tuple[Any, str]] = {
    "unknown": (["n", "nosuch"], "unknown-column"),
    "in capitals": (["N"], "unknown-column"),
    "repeated": (["n", "n"], "invalid-request"),
    "none": ([], "invalid-request"),
    "too many": (["n"] * 10_001, "invalid-request"),
    "unknown by the thousand": ([f"c{number}" for number in range(10_000)], "unknown-column"),
    "of a megabyte": (["x" * 1_000_000], "unknown-column"),
    "a path": (["../n"], "unknown-column"),
    "everything": (["*"], "unknown-column"),
    "empty": ([""], "unknown-column"),
    "a number": ([0], "invalid-request"),
    "a text": ("n", "invalid-request"),
}


@pytest.mark.parametrize("verb", ["read_rows", "read_columns"])
@pytest.mark.parametrize("which", COLUMNS)
def test_columns_that_are_none_are_refused_in_few_words(node: Session, numbers: Answer, which: str, verb: str) -> None:
    columns, code = COLUMNS[which]
    refused = node.call(verb, reference=numbers, columns=columns)
    # A chart has few columns, so that so many are refused for their number.
    assert problem_code(refused) in (code, "invalid-request")
    assert len(json.dumps(refused)) < 2_000


@pytest.mark.parametrize("value", [SERIES_POINTS_MAX + 1, 7, 0, -1, 10**18])
def test_points_out_of_range_are_refused(node: Session, numbers: Answer, value: int) -> None:
    assert (
        problem_code(node.call("read_columns", reference=numbers, columns=["n"], max_points=value)) == "invalid-request"
    )


# Cells that take more bytes as JSON than they have: six for each control character, twelve for an emoji.
SWELLING = {
    "controls": "\x00\x01\x1f" * 400,
    "quotes and backslashes": '"\\' * 600,
    "emoji": "😀" * 400,
    "letters beyond ASCII": "ü漢" * 500,
    "line separators": "\u2028" * 600,
}


@pytest.mark.parametrize("what", SWELLING)
def test_a_page_of_the_largest_budget_stays_far_below_what_lambda_answers(node: Session, what: str) -> None:
    body = parquet({"text": [SWELLING[what]] * 12_000, "n": list(range(12_000))})
    reference = node.register("a.parquet", body)["reference"]
    page = node.call("read_rows", reference=reference, limit=PAGE_ROWS_MAX, max_bytes=PAGE_BYTES_MAX)
    assert page["limit_hit"] == "bytes"
    assert 0 < page["returned"] == page["next_offset"]
    # As Lambda's runtime encodes it, and as the most wasteful encoder would.
    for ascii_only in (True, False):
        assert len(json.dumps(page, ensure_ascii=ascii_only).encode()) < LAMBDA_REPLY_BYTES_MAX * 0.75


def test_a_page_of_many_columns_stops_at_its_cells(node: Session) -> None:
    columns = {f"c{number}": [1] * 200 for number in range(2_000)}
    reference = node.register("a.parquet", parquet(columns))["reference"]
    page = node.call("read_rows", reference=reference, limit=PAGE_ROWS_MAX, max_bytes=PAGE_BYTES_MAX)
    assert (page["limit_hit"], page["returned"]) == ("cells", PAGE_CELLS_MAX // 2_000)
    assert len(json.dumps(page)) < LAMBDA_REPLY_BYTES_MAX


WIDE_ROWS = {
    "one long text": [{"id": 1, "text": "x" * 8_000_000}],
    "many long texts": [{f"c{number}": "y" * 10_000 for number in range(900)}],
    "one deep value": [{"deep": [[{"k": "z" * 1_000}] * 500] * 10}],
}


@pytest.mark.parametrize("what", WIDE_ROWS)
@pytest.mark.parametrize("max_bytes", [PAGE_BYTES_MIN * 64, PAGE_BYTES_MAX])
def test_a_row_that_fits_no_page_comes_clipped_and_says_where(node: Session, what: str, max_bytes: int) -> None:
    reference = node.register("a.jsonl", json_lines(WIDE_ROWS[what] * 2))["reference"]
    page = node.call("read_rows", reference=reference, max_bytes=max_bytes)
    assert (page["returned"], page["next_offset"]) == (1, 1)
    assert page["clipped"]
    assert all(cell["row"] == 0 and cell["characters"] > 200 for cell in page["clipped"])
    assert len(json.dumps(page["rows"])) <= max_bytes


def test_a_row_that_even_clipped_fits_no_page_is_refused_with_what_does(node: Session) -> None:
    row = {f"c{number}": "y" * 300 for number in range(2_000)}
    reference = node.register("a.jsonl", json_lines([row]))["reference"]
    refused = node.call("read_rows", reference=reference, max_bytes=PAGE_BYTES_MIN)
    assert problem_code(refused) == "too-large"
    assert "columns" in refused["problem"]["advice"]
    assert (
        node.call("read_rows", reference=reference, max_bytes=PAGE_BYTES_MIN, columns=["c0", "c1999"])["returned"] == 1
    )
