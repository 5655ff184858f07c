"""The tools in LangChain and LangGraph, driven by a model that plays a script."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import BaseTool, StructuredTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from session_datasets import Workspace
from session_datasets.tools import DEFINITIONS, Toolbox, langchain_tools
from tests.support.moto_cloud import MotoCloud

Step = Callable[[Sequence[BaseMessage]], AIMessage]


class Scripted(BaseChatModel):
    """Answers the n-th turn with the n-th step, which sees the messages so far, as a model does."""

    steps: list[Step]
    offered: list[str] = []  # noqa: RUF012  (a pydantic field)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Any:
        self.offered[:] = [convert_to_openai_tool(tool)["function"]["name"] for tool in tools]
        return self

    def _generate(self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **_: Any) -> ChatResult:
        turn = sum(isinstance(message, AIMessage) for message in messages)
        return ChatResult(generations=[ChatGeneration(message=self.steps[turn](messages))])


def _calls(name: str, **arguments: Any) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": f"call-{name}-{len(arguments)}"}])


def _id_in(messages: Sequence[BaseMessage]) -> str:
    found = re.search(r"art_\w{26}", "\n".join(str(message.content) for message in messages))
    assert found
    return found[0]


@pytest.fixture
def workspace(cloud: MotoCloud, tmp_path: Path) -> Workspace:
    (tmp_path / "squares.csv").write_text("n,square\n" + "".join(f"{n},{n * n}\n" for n in range(500)))
    return cloud.open(directory=tmp_path)


def test_an_agent_registers_lists_errs_is_told_how_to_go_on_and_reads_a_page(workspace: Workspace) -> None:
    def corrected(messages: Sequence[BaseMessage]) -> AIMessage:
        # As a model would: the right name is in what it was told, and nowhere else in the script.
        near = re.search(r"Did you mean:? ['\"](\w+)", str(messages[-1].content))
        assert near, messages[-1].content
        return _calls("read_rows", artifact_id=_id_in(messages), columns=[near[1]], offset=10, limit=2)

    model = Scripted(
        steps=[
            lambda _: _calls("register_artifact", path="squares.csv", description="n and n*n"),
            lambda _: _calls("list_artifacts"),
            lambda messages: _calls("read_rows", artifact_id=_id_in(messages), columns=["sqare"], offset=10),
            corrected,
            lambda messages: AIMessage(f"It says {messages[-1].content}"),
        ]
    )
    toolbox = Toolbox(workspace)
    agent = create_agent(model, langchain_tools(toolbox), system_prompt=toolbox.instructions())
    messages = agent.invoke({"messages": [("user", "What is the square of 10?")]})["messages"]

    told = [message for message in messages if isinstance(message, ToolMessage)]
    assert model.offered == list(DEFINITIONS)
    assert [message.status for message in told] == ["success", "success", "error", "success"]
    assert told[3].artifact["rows"] == [[100], [121]]
    assert "[100]" in messages[-1].content


def test_the_tools_are_structured_tools_with_the_arguments_of_the_definitions(workspace: Workspace) -> None:
    tools = langchain_tools(workspace)
    assert all(isinstance(tool, StructuredTool) for tool in tools)
    for tool in tools:
        definition = DEFINITIONS[tool.name]
        assert tool.description == definition.description
        assert tool.args_schema is definition.arguments
        members = convert_to_openai_tool(tool)["function"]["parameters"]["properties"]
        assert members.keys() == definition.schema()["properties"].keys()


def test_only_the_named_tools_are_made(workspace: Workspace) -> None:
    assert [tool.name for tool in langchain_tools(workspace, ["list_artifacts"])] == ["list_artifacts"]


def _message(tool: BaseTool, **arguments: Any) -> ToolMessage:
    message = tool.invoke({"type": "tool_call", "name": tool.name, "args": arguments, "id": "call-1"})
    assert isinstance(message, ToolMessage)
    return message


def test_content_is_for_the_model_and_the_artifact_for_the_program(workspace: Workspace) -> None:
    register, *_ = langchain_tools(workspace)
    message = _message(register, path="squares.csv")
    assert str(message.content).startswith('Registered "squares.csv"')
    assert message.artifact["rows"] == 500
    json.dumps(message.artifact)


@pytest.mark.parametrize(
    "arguments",
    [{"artifact_id": "art_nothing"}, {"artifact_id": "art_nothing", "offset": -1}, {}, {"id": "x"}],
    ids=["refused by the service", "out of bounds", "missing", "unknown"],
)
def test_a_failure_is_a_message_of_status_error_and_no_exception(
    workspace: Workspace, arguments: dict[str, Any]
) -> None:
    [read] = langchain_tools(workspace, ["read_rows"])
    message = _message(read, **arguments)
    assert message.status == "error"
    assert message.content


@pytest.mark.parametrize("tool", DEFINITIONS)
def test_a_null_of_a_strict_schema_counts_as_absent(workspace: Workspace, tool: str) -> None:
    made = {each.name: each for each in langchain_tools(workspace)}
    artifact_id = _message(made["register_artifact"], path="squares.csv").artifact["artifact_id"]
    given = {"artifact_id": artifact_id, "path": "squares.csv", "columns": ["n"]}
    schema = DEFINITIONS[tool].schema()
    required = {name: given[name] for name in schema.get("required", ())}
    message = _message(made[tool], **dict.fromkeys(schema["properties"]) | required)
    assert message.status == "success", message.content
    assert message.content == _message(made[tool], **required).content


def test_wrong_arguments_are_told_in_the_words_of_the_toolbox(workspace: Workspace) -> None:
    [read] = langchain_tools(workspace, ["read_rows"])
    told = str(_message(read, artifact_id="art_x", ofset=3).content)
    assert "Did you mean 'offset'?" in told
    assert "pydantic" not in told


def test_two_different_mistakes_are_not_taken_for_one_that_is_repeated(workspace: Workspace) -> None:
    [read] = langchain_tools(workspace, ["read_rows"])
    _message(read, artifact_id="art_x", ofset=3)
    assert "failed" not in str(_message(read, artifact_id="art_x", limt=3).content)
    assert "failed 2 times" in str(_message(read, artifact_id="art_x", limt=3).content)


def test_an_asynchronous_agent_gets_the_same_answer(workspace: Workspace) -> None:
    register, lists, *_ = langchain_tools(workspace)
    _message(register, path="squares.csv")
    call = {"type": "tool_call", "name": "list_artifacts", "args": {}, "id": "call-1"}
    message = asyncio.run(lists.ainvoke(call))
    assert message.content == _message(lists).content
