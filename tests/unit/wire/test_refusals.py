"""Broken rules in plain words: a model reads them and has to do better."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import ValidationError

from session_datasets.domain.errors import Problem, Refusal
from session_datasets.wire.base import Request
from session_datasets.wire.catalogue import EXCHANGES
from session_datasets.wire.problem import refusal_of
from session_datasets.wire.requests import ListArtifactsRequest, OpenSessionRequest, RegisterArtifactRequest
from session_datasets.wire.rows import ReadRowsRequest

GOOD_ID = "art_" + 26 * "0"
REQUESTS = {verb.value: exchange.request for verb, exchange in EXCHANGES.items()}
# Of every sort that JSON has, and texts that break any rule about their letters.
BAD_VALUES: tuple[Any, ...] = ("", "??", "é" * 9_000, 5, -1, 1e300, True, None, [], ["??"], [5], {}, {"??": "??"})
REGULAR_EXPRESSION = re.compile(r"pattern|\^|\\[dswA-Z]|\[[^\]]*-[^\]]*\]|\{\d+(,\d*)?\}|\)\$|Value error|Model\b")


def problem_of(model: type[Request], body: dict[str, Any]) -> Problem | None:
    try:
        model.model_validate(body)
    except ValidationError as error:
        return refusal_of(error, model).problem
    except Refusal as refusal:
        return refusal.problem
    return None


def refused(model: type[Request], **body: Any) -> Problem:
    problem = problem_of(model, body)
    assert problem is not None
    return problem


def places(model: type[Request]) -> Iterator[tuple[str, ...]]:
    """Every field, and every field of the objects in them."""
    schema = model.model_json_schema()
    for name, field in schema["properties"].items():
        yield (name,)
        for option in [field, *field.get("anyOf", [])]:
            if "$ref" in option:
                inner = schema["$defs"][option["$ref"].rpartition("/")[2]]
                yield from ((name, each) for each in inner.get("properties", ()))


def patterns(schema: Any) -> Iterator[str]:
    """What pydantic itself would check, and tell, as a regular expression."""
    for name, value in schema.items() if isinstance(schema, dict) else enumerate(schema):
        if name == "pattern":
            yield value
        elif isinstance(value, dict | list | tuple) and name != "metadata":
            yield from patterns(value)


@pytest.mark.parametrize("verb", REQUESTS)
def test_no_field_tells_a_regular_expression_whatever_it_is_given(verb: str) -> None:
    model, told = REQUESTS[verb], 0
    for outer, *inner in places(model):
        for value in BAD_VALUES:
            problem = problem_of(model, {outer: {inner[0]: value} if inner else value})
            if problem is not None:
                told += 1
                assert not REGULAR_EXPRESSION.search(problem.detail + problem.advice), (outer, inner, value)
    assert told > len(BAD_VALUES)


@pytest.mark.parametrize("verb", REQUESTS)
def test_no_rule_is_left_to_be_told_as_a_pattern(verb: str) -> None:
    model = REQUESTS[verb]
    model.model_rebuild()
    assert list(patterns(model.__pydantic_core_schema__)) == []


def test_the_schemas_hold_the_patterns_nevertheless() -> None:
    properties = RegisterArtifactRequest.model_json_schema()["properties"]
    assert properties["lineage"]["items"]["pattern"].startswith("^art_")


def test_a_file_s_name_for_an_id_is_told_what_ids_are_like_and_where_they_are_found() -> None:
    problem = refused(ReadRowsRequest, reference="s.csv")
    assert problem.detail == (
        "reference.artifact_id: 's.csv' is no artifact id; ids begin with art_ and have 30 characters."
    )
    assert problem.advice == (
        "Call list_artifacts with name_contains 's.csv' to find the artifact_id, and use it unchanged."
    )


@pytest.mark.parametrize(
    ("given", "sought"),
    [("sales.csv", "sales"), ("out/sales.2013.csv", "sales.2013"), ("Sales of 2013", "Sales of 2013")],
)
def test_a_name_is_sought_by_what_is_left_of_folders_and_suffix(given: str, sought: str) -> None:
    assert f"name_contains '{sought}'" in refused(ReadRowsRequest, reference=given).advice


@pytest.mark.parametrize("given", ["", "art_bad", "x" * 201, "a\nb", "{broken"])
def test_what_is_no_name_is_sought_in_the_whole_listing(given: str) -> None:
    assert refused(ReadRowsRequest, reference=given).advice == (
        "Call list_artifacts to see the artifact_id, and use it unchanged."
    )


@pytest.mark.parametrize("letter", ["i", "l", "o", "u", "A", "-"])
def test_an_id_of_the_right_length_is_told_which_letters_it_has(letter: str) -> None:
    detail = refused(ReadRowsRequest, reference=GOOD_ID[:-1] + letter).detail
    assert detail.endswith("after art_ ids have digits and small letters, but no i, l, o or u.")


def test_a_long_text_for_an_id_is_cut() -> None:
    assert len(refused(ReadRowsRequest, reference="x" * 1_000_000).detail) < 250


def test_a_secret_given_for_an_id_is_not_told() -> None:
    told = refused(ReadRowsRequest, reference="postgres://me:hunter2@host/sales")
    assert "hunter2" not in told.detail + told.advice


def test_an_entry_of_a_lineage_is_told_as_an_id_and_not_of_the_list_s_length() -> None:
    problem = refused(RegisterArtifactRequest, key="k", name="n", lineage=["s.csv"])
    assert problem.detail.startswith("lineage.0: 's.csv' is no artifact id;")
    assert problem.advice.startswith("Call list_artifacts with name_contains 's.csv'")


def test_a_lineage_that_is_too_long_is_told_its_length() -> None:
    assert refused(RegisterArtifactRequest, key="k", name="n", lineage=[GOOD_ID] * 51).advice == (
        "lineage takes at most 50 entries."
    )


def test_what_a_field_takes_is_not_the_advice_for_letters_that_it_does_not_take() -> None:
    problem = refused(OpenSessionRequest, owner="an owner", conversation_id="c")
    assert problem.detail == ("owner: takes letters, digits and . _ @ - only, and begins with a letter or digit.")
    assert problem.advice == "Correct the field that the detail names and call again."


def test_what_a_number_takes_is_the_advice_for_one_that_is_out_of_range() -> None:
    assert refused(ListArtifactsRequest, limit=0).advice.startswith("limit takes 1 to ")


@pytest.mark.parametrize("limit", [0, 10_001, 1_000_001])
@pytest.mark.parametrize("format", ["json", None])
def test_a_page_s_limit_is_told_for_the_format_that_is_asked_by_default(limit: int, format: str | None) -> None:
    asked = {"limit": limit, **({"format": format} if format else {})}
    assert refused(ReadRowsRequest, reference=GOOD_ID, **asked).advice == (
        "limit takes 1 to 10,000. With format arrow it takes up to 1,000,000."
    )


@pytest.mark.parametrize("value", [5, ["art_x"], True])
def test_what_is_no_reference_is_told_what_one_is(value: object) -> None:
    assert refused(ReadRowsRequest, reference=value).detail == (
        "reference: takes an artifact_id, or a reference as a JSON object."
    )
