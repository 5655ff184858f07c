"""What of a profile travels in which answer."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from session_datasets.domain.bounded import bounded_profile
from session_datasets.domain.limits import RECORD_PROFILE_BYTES_MAX
from session_datasets.domain.profile import ColumnStatistics, Order
from session_datasets.operations.register_artifact import Registered
from session_datasets.wire.answers import (
    DescribeArtifactAnswer,
    PreviewPart,
    ProfilePart,
    RegisterArtifactAnswer,
    StatisticsPart,
)
from session_datasets.wire.requests import RegisterArtifactRequest
from tests.support.builders import a_profile, an_artifact

WHOLE = ColumnStatistics(
    nulls=1, nans=2, min="a", max="b", mean=1.5, distinct=9_999, distinct_estimated=True, length_min=1, length_max=2,
    bytes_per_row=4.5, order=Order.UNSORTED, rule="text",
)  # fmt: skip
ESSENTIAL = {"nulls", "nans", "min", "max", "mean", "distinct", "distinct_estimated"}


def described(known: ColumnStatistics) -> dict[str, Any]:
    profile = replace(a_profile(columns=1), statistics=(known,))
    answer = DescribeArtifactAnswer.model_validate(an_artifact(profile=profile), extra="ignore")
    told: dict[str, Any] = answer.to_json()["profile"]["statistics"][0]
    return told


def registered(known: ColumnStatistics) -> dict[str, Any]:
    profile = replace(a_profile(columns=1), statistics=(known,), reading={"delimiter": ";"})
    request = RegisterArtifactRequest.model_validate({"key": "acme/runs/r/x.csv", "name": "x"})
    answer = RegisterArtifactAnswer.of(request, Registered(an_artifact(profile=profile), created=True))
    told: dict[str, Any] = answer.to_json()
    return told


def test_describe_tells_all_that_is_known() -> None:
    told = described(WHOLE)
    assert set(told) == {field.name for field in fields(ColumnStatistics)}
    assert StatisticsPart.model_validate(told) == StatisticsPart.model_validate(WHOLE)


def test_register_tells_the_essential() -> None:
    assert set(registered(WHOLE)["profile"]["statistics"][0]) == ESSENTIAL


def test_register_tells_how_the_file_was_read() -> None:
    assert registered(WHOLE)["profile"]["reading"] == {"delimiter": ";"}


def test_what_means_nothing_and_what_is_usual_takes_no_room() -> None:
    assert described(ColumnStatistics(nulls=0)) == {"nulls": 0}


@pytest.mark.parametrize("known", [WHOLE, ColumnStatistics(nulls=0), ColumnStatistics(nulls=3, distinct=0)])
def test_statistics_survive_the_wire(known: ColumnStatistics) -> None:
    part = StatisticsPart.model_validate(known)
    assert StatisticsPart.model_validate(json.loads(part.model_dump_json(exclude_none=True))) == part


def test_the_essential_profile_is_smaller_than_the_whole_one() -> None:
    part = ProfilePart.model_validate(replace(a_profile(columns=50), statistics=(WHOLE,) * 50))
    whole, essential = (len(each.model_dump_json(exclude_none=True)) for each in (part, part.essential()))
    assert whole - essential > 50 * 80


def test_a_registration_without_rows_has_no_profile() -> None:
    request = RegisterArtifactRequest.model_validate({"key": "acme/runs/r/x.bin", "name": "x"})
    answer = RegisterArtifactAnswer.of(request, Registered(an_artifact(profile=None), created=True))
    assert "profile" not in answer.to_json()


def test_the_largest_profile_of_a_record_is_no_larger_in_the_answer() -> None:
    wide = replace(a_profile(columns=1_000), statistics=(WHOLE,) * 1_000)
    bounded = bounded_profile(wide, RECORD_PROFILE_BYTES_MAX)
    told = ProfilePart.model_validate(bounded).model_dump(mode="json", exclude_none=True)
    assert 0 < bounded.columns_omitted < 1_000
    assert len(json.dumps(told, separators=(",", ":"))) <= RECORD_PROFILE_BYTES_MAX


@pytest.mark.parametrize("part", [StatisticsPart, ProfilePart, PreviewPart])
def test_the_document_of_the_profile_tells_every_member(part: type[BaseModel]) -> None:
    told = (Path(__file__).parents[3] / "docs" / "profile.md").read_text()
    prefix = "preview." if part is PreviewPart else ""
    assert [name for name in part.model_fields if f"`{prefix}{name}" not in told] == []
