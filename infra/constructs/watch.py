"""What is looked at, and what calls somebody."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from aws_cdk import Duration, Stack
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_dynamodb as dynamodb
from constructs import Construct

from infra.constructs.alarm_topic import AlarmTopic
from infra.constructs.artifact_function import ArtifactFunction
from infra.constructs.audit_queue import AuditQueue
from infra.constructs.events import Events
from infra.constructs.profile_queue import ProfileQueue
from infra.environments import Watch
from session_datasets.domain import metrics
from session_datasets.domain.names import METRICS_NAMESPACE, NODE_VERBS

# What the functions themselves count for each verb. A refusal is an answer, and so is a failure that nobody
# foresaw: Lambda sees neither, and its own error metric only counts functions that died.
FAILURES = metrics.FAILURES
WORK = ("rows", "bytes_read", "s3_requests")
ANSWERS = (metrics.CALLS, metrics.COLD_STARTS, metrics.PROBLEMS, metrics.CLAIMS, metrics.DENIED, *metrics.REFUSALS)

_AUDITED = ("audited", "unregistered")

RECORD_OPERATIONS = [
    dynamodb.Operation.GET_ITEM,
    dynamodb.Operation.PUT_ITEM,
    dynamodb.Operation.TRANSACT_WRITE_ITEMS,
    dynamodb.Operation.QUERY,
]

WIDGET_WIDTH = 6  # four in a row of 24


class Watchtower(Construct):
    """One dashboard for the stack, alarms for what nobody should have to look for, and a topic if wanted."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        watch: Watch,
        functions: Sequence[ArtifactFunction],
        table: dynamodb.Table,
        queue: ProfileQueue,
    ) -> None:
        super().__init__(scope, construct_id)
        self._watch = watch
        self._period = Duration.minutes(watch.period_minutes)
        self.topic = AlarmTopic(self, "Topic") if watch.calls_somebody else None
        self.alarms: list[cloudwatch.Alarm] = []
        self.dashboard = cloudwatch.Dashboard(self, "Dashboard")
        for each in functions:
            self._watch_function(each)
        self._watch_table(table)
        self._watch_queue(queue)
        self._watch_callers([each for each in functions if each.verb in NODE_VERBS])

    def _watch_function(self, each: ArtifactFunction) -> None:
        function, watch = each.function, self._watch
        errors = function.metric_errors(period=self._period)
        failures = self._counted(each, FAILURES)
        throttles = function.metric_throttles(period=self._period)
        duration = function.metric_duration(period=self._period, statistic="p99")
        longest_ms = each.size.timeout_seconds * 1000 * watch.timeout_fraction
        self._alarm(f"{each.verb}-errors", errors, watch.errors_per_period, "dies instead of answering")
        self._alarm(f"{each.verb}-failures", failures, watch.errors_per_period, "fails for no foreseen reason")
        self._alarm(f"{each.verb}-throttles", throttles, watch.throttles_per_period, "is turned away")
        self._alarm(f"{each.verb}-duration", duration, longest_ms, "comes close to its timeout")
        calls = function.metric_invocations(period=self._period)
        self.dashboard.add_widgets(
            _graph(f"{each.verb}: calls", [calls, errors, throttles]),
            _graph(f"{each.verb}: milliseconds", [function.metric_duration(statistic="p50"), duration]),
            _graph(f"{each.verb}: answers", [self._counted(each, name) for name in ANSWERS]),
            _graph(f"{each.verb}: work", [self._counted(each, name) for name in WORK]),
        )

    def _counted(self, each: ArtifactFunction, name: str) -> cloudwatch.Metric:
        return cloudwatch.Metric(
            namespace=METRICS_NAMESPACE,
            metric_name=name,
            dimensions_map={"service": str(each.verb), "stack": Stack.of(self).stack_name},
            statistic="Sum",
            period=self._period,
        )

    def _watch_callers(self, functions: Sequence[ArtifactFunction]) -> None:
        """What callers meet, over all verbs of nodes: one of them alone may look harmless."""
        watch = self._watch
        strayed = self._summed(functions, metrics.NOT_FOUND)
        missing = self._summed(functions, metrics.MISSING_FILES)
        refused = self._summed(functions, metrics.TURNED_AWAY)
        claims = self._summed(functions, metrics.CLAIMS)
        denied = self._summed(functions, metrics.DENIED)
        self._alarm("callers-strayed", strayed, watch.not_found_per_period, "ask for much that they cannot reach")
        self._alarm("callers-missing", missing, watch.missing_files_per_period, "ask for files that are gone")
        self._alarm(
            "callers-refused", refused, watch.turned_away_per_period, "come with tokens that do not let them in"
        )
        self._alarm("callers-claim", claims, watch.claims_per_period, "name a scope that is not their token's")
        self._alarm("functions-denied", denied, watch.denied_per_period, "are denied by AWS what they ask for")
        self.dashboard.add_widgets(
            _graph("callers: ids out of reach", [strayed]),
            _graph("callers: files gone", [missing]),
            _graph("callers: turned away", [refused]),
            _graph("callers: naming another scope", [claims]),
            _graph("functions: denied by AWS", [denied]),
        )

    def _summed(self, functions: Iterable[ArtifactFunction], name: str) -> cloudwatch.MathExpression:
        """Over at most ten functions: an alarm takes no more metrics. Where none counted anything there is no sum."""
        counted = {str(each.verb): self._counted(each, name) for each in functions}
        return cloudwatch.MathExpression(
            expression=f"SUM([{', '.join(counted)}])", using_metrics=counted, label=name, period=self._period
        )

    def _watch_table(self, table: dynamodb.Table) -> None:
        throttles = table.metric_throttled_requests_for_operations(operations=RECORD_OPERATIONS, period=self._period)
        errors = table.metric_system_errors_for_operations(operations=RECORD_OPERATIONS, period=self._period)
        self._alarm("records-throttles", throttles, 1, "is turned away by DynamoDB")
        self._alarm("records-errors", errors, 1, "meets an error inside DynamoDB")
        self.dashboard.add_widgets(
            _graph("records: turned away", [throttles]),
            _graph("records: errors", [errors]),
            _graph(
                "records: units",
                [
                    table.metric_consumed_read_capacity_units(period=self._period),
                    table.metric_consumed_write_capacity_units(period=self._period),
                ],
            ),
        )

    def _watch_queue(self, queue: ProfileQueue) -> None:
        age = queue.metric_approximate_age_of_oldest_message(period=self._period)
        dead = queue.dead_letters.metric_approximate_number_of_messages_visible(period=self._period)
        self._alarm("profiles-age", age, 60 * self._watch.queue_minutes, "are not made for a long time")
        self._alarm("profiles-dead", dead, 1, "were given up and lie with the dead letters")
        waiting = queue.metric_approximate_number_of_messages_visible(period=self._period)
        in_work = queue.metric_approximate_number_of_messages_not_visible(period=self._period)
        self.dashboard.add_widgets(
            _graph("profiles: waiting and in work", [waiting, in_work]),
            _graph("profiles: seconds of the oldest", [age]),
            _graph("profiles: given up", [dead]),
        )

    def watch_events(self, events: Events, publisher: ArtifactFunction) -> None:
        age = publisher.alias.metric("IteratorAge", period=self._period, statistic="Maximum")
        dead = events.dead_letters.metric_approximate_number_of_messages_visible(period=self._period)
        self._alarm("events-age", age, 60_000 * self._watch.queue_minutes, "are not told for a long time")
        self._alarm("events-dead", dead, 1, "could not be told and lie with the dead letters")
        self.dashboard.add_widgets(
            _graph("events: changes told", [self._counted(publisher, "changes_told")]),
            _graph("events: milliseconds behind", [age]),
            _graph("events: given up", [dead]),
        )

    def watch_audits(self, queue: AuditQueue, auditor: ArtifactFunction) -> None:
        missing = self._counted(auditor, "missing_files")
        age = queue.metric_approximate_age_of_oldest_message(period=self._period)
        dead = queue.dead_letters.metric_approximate_number_of_messages_visible(period=self._period)
        self._alarm("files-missing", missing, 1, "are gone that records tell of")
        self._alarm("audits-age", age, 60 * self._watch.queue_minutes, "are not made for a long time")
        self._alarm("audits-dead", dead, 1, "were given up and lie with the dead letters")
        self.dashboard.add_widgets(
            _graph("files: missing and restored", [missing, self._counted(auditor, "restored_files")]),
            _graph("files: audited and unregistered", [self._counted(auditor, f"{each}_files") for each in _AUDITED]),
            _graph("audits: seconds of the oldest", [age]),
            _graph("audits: given up", [dead]),
        )

    def show_alarms(self) -> None:
        """At the end of the dashboard, when all are made."""
        self.dashboard.add_widgets(
            cloudwatch.AlarmStatusWidget(title="Alarms", alarms=list(self.alarms), width=4 * WIDGET_WIDTH)
        )

    def _alarm(self, name: str, metric: cloudwatch.IMetric, threshold: float, what: str) -> None:
        subject = name.rsplit("-", 1)[0]
        alarm = cloudwatch.Alarm(
            self,
            name,
            alarm_description=f"{subject} {what}",
            metric=metric,
            threshold=threshold,
            evaluation_periods=1,
            comparison_operator=cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
            # Without calls there is no metric, and nothing wrong.
            treat_missing_data=cloudwatch.TreatMissingData.NOT_BREACHING,
        )
        if self.topic:
            alarm.add_alarm_action(actions.SnsAction(self.topic))
            alarm.add_ok_action(actions.SnsAction(self.topic))
        self.alarms.append(alarm)


def _graph(title: str, metrics: list[cloudwatch.IMetric]) -> cloudwatch.GraphWidget:
    return cloudwatch.GraphWidget(title=title, left=metrics, width=WIDGET_WIDTH)
