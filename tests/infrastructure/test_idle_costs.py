"""What README.md says a stack costs while nobody calls it is counted from the template."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from infra.costs import Prices
from tests.infrastructure.synthesized import InEnvironment, Json, Synthesized

README = (Path(__file__).parents[2] / "README.md").read_text()
ENVIRONMENTS = ("sandbox", "production")


def row(item: str) -> dict[str, float]:
    """The dollars of one line of the table, by environment."""
    (line,) = [each for each in README.splitlines() if each.startswith(f"| {item}")]
    dollars = [float(each) for each in re.findall(r"\| \$?([0-9.]+) (?=\|)", line)]
    return dict(zip(ENVIRONMENTS, dollars, strict=True))


def metrics_of(alarm: Json) -> int:
    """An alarm is charged for each metric that it reads; one on an expression reads several."""
    read = [each for each in alarm.get("Metrics", []) if "MetricStat" in each]
    return len(read) or 1


def alarms(stack: Synthesized) -> list[Json]:
    return [each["Properties"] for each in stack.resources("AWS::CloudWatch::Alarm").values()]


def polled_queues(stack: Synthesized) -> int:
    mappings = stack.resources("AWS::Lambda::EventSourceMapping").values()
    # A queue's mapping has no place to start at; a stream's has, and reading a stream for Lambda is free.
    return sum("StartingPosition" not in each["Properties"] for each in mappings)


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_the_readme_charges_every_metric_of_every_alarm(synthesized: InEnvironment, environment: str) -> None:
    stack = synthesized(environment)
    read = sum(map(metrics_of, alarms(stack)))
    assert row(f"{len(alarms(stack))} alarms on {read} metrics")[environment] == pytest.approx(
        read * Prices().alarm_metric, abs=0.005
    )


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_the_readme_charges_each_secret_key_and_polled_queue(synthesized: InEnvironment, environment: str) -> None:
    stack, prices = synthesized(environment), Prices()
    assert row("the secret")[environment] == len(stack.resources("AWS::SecretsManager::Secret")) * prices.secret
    assert row("the key")[environment] == len(stack.resources("AWS::KMS::Key")) * prices.key
    polls = polled_queues(stack) * prices.idle_polls * prices.sqs_request
    assert polled_queues(stack) == 2
    assert row("polls of two queues")[environment] == pytest.approx(polls, abs=0.005)


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_the_readmes_sum_is_that_of_its_lines(environment: str) -> None:
    items = [row(item)[environment] for item in ("the secret", "the key", "polls of two queues")]
    (alarms_line,) = re.findall(r"^\| (\d+ alarms on \d+ metrics)", README, re.MULTILINE)
    assert row("**together")[environment] == pytest.approx(sum(items) + row(alarms_line)[environment], abs=0.005)
