"""Workflows of the tests. A module of its own, because the workflow sandbox imports it by its name."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import Any

from temporalio import activity, workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import ApplicationError

from session_datasets.boundary import result_cache

# What the activities of this process did.
CALLS: Counter[str] = Counter()
_SHORTLY = {
    "start_to_close_timeout": timedelta(seconds=60),
    "retry_policy": RetryPolicy(initial_interval=timedelta(milliseconds=10)),
}


@activity.defn
def make_rows(count: int) -> list[dict[str, Any]]:
    CALLS["make_rows"] += 1
    return [{"id": number, "name": f"row {number}", "score": number / 8} for number in range(count)]


@activity.defn
def sum_of_ids(rows: list[dict[str, Any]]) -> int:
    CALLS["sum_of_ids"] += 1
    return sum(row["id"] for row in rows)


@activity.defn
def fails_once_with_much_to_say(text: str) -> str:
    """The first attempt fails with details as long as ``text``, the second answers it."""
    CALLS["fails_once"] += 1
    if activity.info().attempt == 1:
        raise ApplicationError("not yet", text)
    return text


@activity.defn
def asked_tool(question: str) -> str:
    CALLS[question] += 1
    return question * 10_000


@workflow.defn
class HandOver:
    @workflow.run
    async def run(self, count: int) -> int:
        rows = await workflow.execute_activity(make_rows, count, **_SHORTLY)
        return await workflow.execute_activity(sum_of_ids, rows, **_SHORTLY)


@workflow.defn
class Echo:
    @workflow.run
    async def run(self, text: str) -> str:
        return await workflow.execute_activity(fails_once_with_much_to_say, text, **_SHORTLY)


@workflow.defn
class Carrying:
    """Asks the same tools in each of its runs; what one run was answered, the next ones find in the cache."""

    @workflow.run
    async def run(self, runs_left: int, carried: dict[str, Any] | None) -> list[int]:
        result_cache.set_result_cache(carried)
        lengths = []
        for question in ("north", "south", "west"):
            key = result_cache.cache_key("tool", question, {"q": question})
            hit, answer = result_cache.cache_lookup(key)
            if not hit:
                answer = await workflow.execute_activity(asked_tool, question, **_SHORTLY)
                result_cache.cache_put(key, answer)
            lengths.append(len(answer))
        if runs_left:
            workflow.continue_as_new(args=[runs_left - 1, result_cache.result_cache_snapshot()])
        return lengths


@workflow.defn
class Sending:
    """Sends a text of ``count`` characters that it made itself, in one of the ways that a workflow has."""

    @workflow.run
    async def run(self, how: str, count: int) -> str:
        text = "x" * count
        if how == "activity":
            await workflow.execute_activity(asked_tool, text, **_SHORTLY)
        elif how == "child":
            await workflow.execute_child_workflow(Echo.run, text)
        elif how == "continue as new":
            workflow.continue_as_new(args=["", len(text), text])
        elif how == "failure":
            raise ApplicationError("too much to say", text)
        elif how == "caught":
            try:
                await workflow.execute_activity(asked_tool, text, **_SHORTLY)
            except ApplicationError as error:
                return str(error.type)
        return text


ACTIVITIES = [make_rows, sum_of_ids, fails_once_with_much_to_say, asked_tool]
WORKFLOWS = [HandOver, Echo, Carrying, Sending]
