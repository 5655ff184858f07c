"""docs/operating.md tells what the template has: every alarm, every function, and no output that does not exist."""

from __future__ import annotations

import re
from pathlib import Path

from session_datasets.domain.names import DEFAULT_STACK, Verb, function_name
from tests.infrastructure.synthesized import Synthesized

PAPER = (Path(__file__).parents[2] / "docs" / "operating.md").read_text()


def section(heading: str) -> str:
    return PAPER.split(f"# {heading}\n")[1].split("\n#")[0]


def test_the_table_of_alarms_has_a_row_for_each_alarm_and_no_other(production: Synthesized) -> None:
    verbs = "|".join(Verb)
    alarms = {
        re.sub(rf"^({verbs}) ", "VERB ", each["Properties"]["AlarmDescription"])
        for each in production.resources("AWS::CloudWatch::Alarm").values()
    }
    rows = section("What each alarm means").split("| --- | --- | --- | --- |\n")[1].splitlines()
    told = [row.split(" | ")[0].removeprefix("| ") for row in rows if row.startswith("|")]
    assert sorted(told) == sorted(alarms)


def test_rolling_back_moves_the_alias_of_every_function() -> None:
    loop = section("Deploy, upgrade, roll back").split("for verb in ")[1].split("; do")[0]
    told = {f"{DEFAULT_STACK}-{verb}" for verb in loop.replace("\\", "").split()}
    assert told == {function_name(DEFAULT_STACK, verb) for verb in Verb}


def test_outputs_that_the_paper_names_are_outputs_of_the_stack(production: Synthesized) -> None:
    named = set(re.findall(r"[`']([A-Z][A-Za-z]+(?:Url|Arn))[`']", PAPER))
    assert {"SigningKeyArn", "DeadLettersUrl"} <= named
    assert named <= set(production.template["Outputs"])
