"""What a model is told of rows that became no file: whether its query ran."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from session_datasets.feedback import feedback_of
from session_datasets.materialize import LocalFolder, materialize_result
from session_datasets.materialize.refusals import MaterializeError

RAN = "Error: the query did NOT complete"
REFUSED = "Error: the query was NOT executed"


def rows_and_then_an_error() -> Iterator[tuple[int, int]]:
    yield 1, 2
    raise TimeoutError("canceled by the server")


@pytest.mark.parametrize(
    ("rows", "options", "told"),
    [
        (rows_and_then_an_error(), {}, RAN),
        ([(1, 2), (1, 2, 3)], {}, RAN),
        ([(1, 2)], {"fmt": "xlsx"}, REFUSED),
        ([(1, 2)], {"preview_rows": -1}, REFUSED),
        ([(1, 2)], {"max_bytes": 1}, REFUSED),
        ([(1, 2)], {"filename": "../a.csv"}, REFUSED),
    ],
    ids=["source", "row", "format", "preview", "budget", "name"],
)
def test_a_query_that_ran_is_not_told_as_one_that_did_not(
    tmp_path: Path, rows: object, options: dict[str, object], told: str
) -> None:
    with pytest.raises(MaterializeError) as raised:
        materialize_result(["a", "b"], rows, LocalFolder(tmp_path), **options)  # type: ignore[arg-type]
    assert feedback_of(raised.value, what="query").text().startswith(told)


def test_a_place_that_can_not_be_written_to_is_told_after_the_query_ran(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(MaterializeError) as raised:
        materialize_result(["a"], [(1,)], LocalFolder(tmp_path / "file"))
    assert feedback_of(raised.value, what="query").text().startswith(RAN)
