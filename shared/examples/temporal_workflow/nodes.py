"""The workflow and its two activities. They hand each other rows and know nothing of references."""

from __future__ import annotations

from datetime import timedelta

from temporalio import activity, workflow

# An activity keeps its result within its own time.
LONGEST = timedelta(minutes=5)


@activity.defn
def measure(count: int) -> list[dict[str, float]]:
    return [{"second": float(second), "celsius": 20 + second % 50 / 10} for second in range(count)]


@activity.defn
def mean(readings: list[dict[str, float]]) -> float:
    return sum(each["celsius"] for each in readings) / len(readings)


@workflow.defn
class MeasureAndReport:
    @workflow.run
    async def run(self, count: int) -> float:
        readings = await workflow.execute_activity(measure, count, start_to_close_timeout=LONGEST)
        return await workflow.execute_activity(mean, readings, start_to_close_timeout=LONGEST)
