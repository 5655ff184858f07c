"""What callers meet is summed over the verbs of nodes, and is an alarm from a stated number on."""

from __future__ import annotations

import pytest

from infra.constructs.watch import ANSWERS
from infra.environments import environment_named
from session_datasets.domain import metrics
from session_datasets.domain.names import DEFAULT_STACK, METRICS_NAMESPACE, NODE_VERBS, Verb
from tests.infrastructure.synthesized import InEnvironment, Json, Synthesized

in_accounts = pytest.mark.parametrize("environment", ["sandbox", "production"])

THRESHOLDS = {
    "callers cannot reach": (metrics.NOT_FOUND, "not_found_per_period", 50),
    "files are gone": (metrics.MISSING_FILES, "missing_files_per_period", 1),
    "tokens do not let them in": (metrics.TURNED_AWAY, "turned_away_per_period", 100),
    "another scope is named": (metrics.CLAIMS, "claims_per_period", 1),
    "denied by AWS": (metrics.DENIED, "denied_per_period", 1),
}


def summed_alarm(stack: Synthesized, metric: str) -> Json:
    """The one alarm on the sum of a metric over several functions."""
    (found,) = (
        each["Properties"]
        for each in stack.resources("AWS::CloudWatch::Alarm").values()
        if metric in {name_of(part) for part in each["Properties"].get("Metrics", [])}
    )
    return dict(found)


def name_of(part: Json) -> str | None:
    name: str | None = part.get("MetricStat", {}).get("Metric", {}).get("MetricName")
    return name


@in_accounts
@pytest.mark.parametrize("what", THRESHOLDS)
def test_it_is_an_alarm_from_the_number_of_its_environment_on(
    synthesized: InEnvironment, environment: str, what: str
) -> None:
    metric, setting, number = THRESHOLDS[what]
    watch = environment_named(environment).watch
    alarm = summed_alarm(synthesized(environment), metric)
    assert alarm["Threshold"] == getattr(watch, setting) == number
    assert alarm["ComparisonOperator"] == "GreaterThanOrEqualToThreshold"


@in_accounts
@pytest.mark.parametrize("what", THRESHOLDS)
def test_it_is_summed_over_every_verb_of_nodes_in_five_minutes(
    synthesized: InEnvironment, environment: str, what: str
) -> None:
    metric = THRESHOLDS[what][0]
    parts = [each["MetricStat"] for each in summed_alarm(synthesized(environment), metric)["Metrics"] if name_of(each)]
    dimensions = [{each["Name"]: each["Value"] for each in part["Metric"]["Dimensions"]} for part in parts]
    assert dimensions == [{"service": verb.value, "stack": DEFAULT_STACK} for verb in NODE_VERBS]
    assert {(part["Metric"]["Namespace"], part["Stat"], part["Period"]) for part in parts} == {
        (METRICS_NAMESPACE, "Sum", 300)
    }


def test_an_alarm_sums_no_more_metrics_than_cloudwatch_takes(production: Synthesized) -> None:
    alarms = production.resources("AWS::CloudWatch::Alarm").values()
    assert max(len(each["Properties"].get("Metrics", [])) for each in alarms) <= 10


@pytest.mark.parametrize("verb", Verb)
@pytest.mark.parametrize("metric", ANSWERS)
def test_the_dashboard_shows_every_family_of_refusals_and_cold_starts(
    production: Synthesized, verb: Verb, metric: str
) -> None:
    shown = [
        line[:4]
        for widget in production.flat_dashboard()["widgets"]
        for line in widget["properties"].get("metrics", [])
    ]
    assert [METRICS_NAMESPACE, metric, "service", verb.value] in shown
