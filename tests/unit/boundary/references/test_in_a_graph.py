"""Decorated nodes of a LangGraph graph: frames cross between them, and its state holds references only."""

from __future__ import annotations

import asyncio
from typing import Any, TypedDict

import pandas as pd
import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph

from session_datasets.boundary import references
from session_datasets.boundary.references import FolderStore


class State(TypedDict, total=False):
    question: str
    orders: Any
    total: int


@pytest.fixture
def graph(store: FolderStore) -> Any:
    @references.node(store)
    def produce(state: State) -> State:
        return {"orders": pd.DataFrame({"n": range(100_000)})}

    @references.node(store)
    async def consume(state: State, config: RunnableConfig) -> State:
        return {"total": int(state["orders"]["n"].sum()) + config["configurable"]["more"]}

    built = StateGraph(State)
    built.add_node("produce", produce)
    built.add_node("consume", consume)
    built.add_edge(START, "produce")
    built.add_edge("produce", "consume")
    built.add_edge("consume", END)
    return built.compile(checkpointer=InMemorySaver())


def test_a_frame_crosses_from_a_node_to_the_next(graph: Any) -> None:
    config = {"configurable": {"thread_id": "t", "more": 1}}
    answer = asyncio.run(graph.ainvoke({"question": "how many?"}, config))
    assert answer["total"] == sum(range(100_000)) + 1


def test_the_graphs_state_and_checkpoints_hold_a_reference_and_no_rows(graph: Any, store: FolderStore) -> None:
    config = {"configurable": {"thread_id": "t", "more": 0}}
    answer = asyncio.run(graph.ainvoke({"question": "how many?"}, config))
    assert references.is_reference(answer["orders"])
    assert references.is_reference(graph.get_state(config).values["orders"])
    assert references.hydrate(answer, store)["orders"]["n"].tolist() == list(range(100_000))
