"""Pages of any rows under any budget."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from session_datasets.tools import Budgets, Toolbox
from tests.unit.tools import stand_in
from tests.unit.tools.stand_in import ID

_CELLS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=30)
_LONG = st.text('aé\N{GRINNING FACE}"\n', min_size=400, max_size=900)
_ROWS = st.lists(st.tuples(_CELLS, _CELLS | _LONG), min_size=1, max_size=25)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=_ROWS, budget=st.integers(150, 500), at_once=st.integers(1, 30))
def test_pages_join_to_all_rows_in_order_each_within_its_budget(
    tmp_path: Path, rows: list[tuple[Any, ...]], budget: int, at_once: int
) -> None:
    def read(*, offset: int, limit: int, **_: Any) -> Any:
        part = [list(row) for row in rows[offset : offset + min(limit, at_once)]]
        return stand_in.page(["a", "b"], part, offset=offset, total=len(rows))

    box = Toolbox(stand_in.workspace(tmp_path, read_rows=read), budgets=Budgets(rows=budget))
    seen: list[Any] = []
    offset: int | None = 0
    while offset is not None:
        told = box.call("read_rows", {"artifact_id": ID, "offset": offset})
        assert not told.is_error, told.text
        assert told.tokens <= budget
        page = told.structured["rows"]
        # It gets on, whatever the rows are like.
        assert page
        for row, original in zip(page, rows[offset:], strict=False):
            assert row == list(original) or told.structured["cells_shortened"]
        seen += page
        offset = told.structured.get("next_offset")
        assert offset is None or offset == len(seen)
    assert len(seen) == len(rows)
