from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from session_datasets.domain.artifact import ARTIFACT_ID_PATTERN, artifact_id

IDENTITY = {"owner": "acme", "session_id": "ses-1", "key": "a/b", "version_id": "v1", "name": "Sales"}
MOMENT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
moments = st.datetimes(datetime(1970, 1, 2), datetime(2200, 1, 1), timezones=st.just(UTC))


def test_the_same_registration_has_the_same_id() -> None:
    assert artifact_id(**IDENTITY, written_at=MOMENT) == artifact_id(**IDENTITY, written_at=MOMENT)


@pytest.mark.parametrize("field", IDENTITY)
def test_each_part_of_the_identity_changes_the_id(field: str) -> None:
    other = {**IDENTITY, field: IDENTITY[field] + "x"}
    assert artifact_id(**other, written_at=MOMENT) != artifact_id(**IDENTITY, written_at=MOMENT)


def test_parts_do_not_run_into_one_another() -> None:
    moved = {**IDENTITY, "owner": "acmes", "session_id": "es-1"}
    assert artifact_id(**moved, written_at=MOMENT) != artifact_id(**IDENTITY, written_at=MOMENT)


@given(moments)
def test_an_id_has_the_documented_form(moment: datetime) -> None:
    assert re.match(ARTIFACT_ID_PATTERN, artifact_id(**IDENTITY, written_at=moment))


@given(moments, st.integers(min_value=1, max_value=10**9), st.text(), st.text())
def test_ids_sort_by_the_time_of_writing(moment: datetime, later_by: int, name: str, other: str) -> None:
    earlier = artifact_id(**{**IDENTITY, "name": name}, written_at=moment)
    later = artifact_id(**{**IDENTITY, "name": other}, written_at=moment + timedelta(milliseconds=later_by))
    assert earlier < later
