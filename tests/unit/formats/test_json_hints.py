"""What a caller's hints do to JSON, and the rules by which the other columns are typed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from session_datasets.domain.errors import ProblemCode
from session_datasets.domain.profile import ReadingHints
from session_datasets.formats.json import first_pass as json_first_pass
from session_datasets.formats.json.types import JsonRule
from tests.support.laid_out import laid_out, problem_of


@pytest.fixture(params=[1, 1_000], ids=["confirmed", "learned"])
def _parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reads by Arrow's parser after the first object, or all by the exact one."""
    monkeypatch.setattr(json_first_pass, "_FIRST_OBJECTS", request.param)


@pytest.mark.usefixtures("_parser")
@pytest.mark.parametrize(
    ("hint", "values", "type_", "cells"),
    [
        ("string", ["a", "b"], "string", ["a", "b"]),
        ("string", ["7", 7, 7.5, True, [1], None], "string", ["7", "7", "7.5", "true", "[1]", None]),
        ("string", [7.5, 7], "string", ["7.5", "7"]),
        ("string", [2**70, 2**70], "string", [str(2**70)] * 2),
        ("int64", ["7", "8"], "int64", [7, 8]),
        ("int64", [7, "8", ""], "int64", [7, 8, None]),
        ("double", [7, 8], "double", [7.0, 8.0]),
        ("double", [7.25, "8.5"], "double", [7.25, 8.5]),
        ("bool", ["true", "FALSE", True], "bool", [True, False, True]),
        ("date", ["2024-02-29", "2024-03-01"], "date32[day]", ["2024-02-29", "2024-03-01"]),
        ("timestamp", ["2024-02-29", "2024-02-29T12:00:00.5"], "timestamp[us]",
         ["2024-02-29T00:00:00.000000", "2024-02-29T12:00:00.500000"]),
        ("decimal(6,2)", [7, "7.25", 7.5], "decimal128(6, 2)", ["7.00", "7.25", "7.50"]),
    ],
)  # fmt: skip
def test_a_hinted_type_binds(hint: str, values: list[Any], type_: str, cells: list[Any]) -> None:
    rows = [{"a": value, "b": 1} for value in values]
    dataset = laid_out(json.dumps(rows), "rows.json", ReadingHints(types={"a": hint}))
    assert (dataset.types["a"], dataset.column("a")) == (type_, cells)
    assert dataset.profile.statistics[0].rule == "hint"
    assert dataset.table.note is None


@pytest.mark.usefixtures("_parser")
@pytest.mark.parametrize(
    ("hint", "values", "told"),
    [
        ("int64", [1, 2, "many"], "object 3 has 'many' there"),
        ("int64", ["1", "2.5"], "object 2 has '2.5' there"),
        ("int64", [1, 2**63], "object 2 has '9223372036854775808' there"),
        ("bool", [True, 7], "object 2 has '7' there"),
        ("date", ["2024-02-29", "2024-02-30"], "object 2 has '2024-02-30' there"),
        ("decimal(3,1)", [1, 2.25], "object 2 has '2.25' there"),
        ("decimal(38,37)", [1, 928], "object 2 has '928' there"),
        ("double", [0.5, 2**53 + 1], "object 2 has '9007199254740993' there"),
        ("double", [0.5, "0.1234567890123456789"], "object 2 has '0.1234567890123456789' there"),
        ("double", [1, {"x": "y" * 100}], 'object 2 has \'{"x": "' + "y" * 53 + "…' there"),
    ],
)
def test_a_value_that_does_not_fit_its_hint_is_refused_with_its_place(hint: str, values: list[Any], told: str) -> None:
    rows = json.dumps([{"a": value} for value in values])
    problem = problem_of(rows, "rows.json", ReadingHints(types={"a": hint}))
    assert problem.code is ProblemCode.UNREADABLE_FILE
    assert problem.detail == f"Column 'a' is hinted as {hint}, and {told}."


def test_a_hint_for_a_column_that_is_not_there_is_refused_with_near_names() -> None:
    problem = problem_of('[{"amount":1}]', "rows.json", ReadingHints(types={"amuont": "double"}))
    assert (problem.code, problem.did_you_mean) == (ProblemCode.UNKNOWN_COLUMN, ("amount",))


@pytest.mark.usefixtures("_parser")
def test_texts_that_mean_no_value_are_null_in_all_columns_but_those_hinted_as_string() -> None:
    rows = [{"a": "NA", "b": "NA", "c": "NA"}, {"a": 1, "b": "x", "c": "NA"}, {"a": 2, "b": "NA", "c": "y"}]
    hints = ReadingHints(nulls=("NA", "-"), types={"c": "string"})
    dataset = laid_out(json.dumps(rows), "rows.json", hints)
    assert dataset.types == {"a": "int64", "b": "string", "c": "string"}
    assert dataset.rows == [[None, None, "NA"], [1, "x", "NA"], [2, None, "y"]]


@pytest.mark.parametrize(
    ("values", "rule"),
    [
        ("null", JsonRule.NULLS),
        ("true", JsonRule.BOOLEANS),
        ('"1"', JsonRule.STRINGS),
        ("1", JsonRule.INTEGERS),
        ("9223372036854775808", JsonRule.UNSIGNED),
        ("18446744073709551616", JsonRule.DECIMAL),
        ("1" + "0" * 38, JsonRule.WIDE_INTEGERS),
        ("1.5", JsonRule.DOUBLE),
        ("0.1234567890123456789", JsonRule.WIDE_FRACTIONS),
        ('{"x":1}', JsonRule.OBJECTS),
        ("[]", JsonRule.ARRAYS),
        ("{}", JsonRule.NO_KEYS),
        ('{"v":' * 17 + "1" + "}" * 17, JsonRule.OBJECTS),
        ("{" + ",".join(f'"k{n}":1' for n in range(501)) + "}", JsonRule.DEEP),
        ('1},{"v":"a"', JsonRule.MIXED),
    ],
    ids=lambda value: value if isinstance(value, JsonRule) else "",
)
def test_the_rule_that_decided_a_column_is_in_the_profile(values: str, rule: JsonRule) -> None:
    assert laid_out(f'[{{"v":{values}}}]', "rows.json").profile.statistics[0].rule == rule.value


@pytest.mark.parametrize("rule", [rule.value for rule in JsonRule])
def test_every_rule_is_explained_in_the_document(rule: str) -> None:
    document = Path(__file__).parents[3] / "docs" / "typing.md"
    assert f"| `{rule}` |" in document.read_text()
