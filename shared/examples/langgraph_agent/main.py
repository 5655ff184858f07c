"""An agent on LangGraph: a table goes into the workspace, its context gets an id and two rows.

The model plays a script, so that this runs without an account anywhere: put any chat model in its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from session_datasets import Orchestrator
from session_datasets.tools import Toolbox, langchain_tools, tokens_of

ROWS = 50_000
Step = Callable[[Sequence[BaseMessage]], AIMessage]


class ScriptedModel(BaseChatModel):
    """Answers each turn with the next step, which sees the messages so far."""

    steps: list[Step]

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Any:
        return self

    def _generate(self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **_: Any) -> ChatResult:
        turn = sum(isinstance(message, AIMessage) for message in messages)
        return ChatResult(generations=[ChatGeneration(message=self.steps[turn](messages))])


def call(name: str, **arguments: Any) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": f"{name}-{len(arguments)}"}])


def found(pattern: str, messages: Sequence[BaseMessage]) -> str:
    match = re.search(pattern, "\n".join(str(message.content) for message in messages))
    if match is None:
        raise LookupError(f"no message holds {pattern}")
    return match[1]


def artifact_id(messages: Sequence[BaseMessage]) -> str:
    return found(r"(art_\w{26})", messages)


script: list[Step] = [
    lambda _: call("register_artifact", path="readings.csv", description="All sensors, one row a second."),
    lambda _: call("list_artifacts", name_contains="sensors"),
    # A mistake, as models make them; the answer says what was meant.
    lambda told: call("read_rows", artifact_id=artifact_id(told), columns=["celcius"], offset=ROWS - 2),
    lambda told: call(
        "read_rows",
        artifact_id=artifact_id(told),
        columns=["n", found(r"Did you mean:? ['\"](\w+)", told[-1:])],
        offset=ROWS - 2,
    ),
    lambda told: AIMessage(f"The last reading is {found(r'49999,([0-9.]+)', told[-1:])} degrees."),
]

Path("readings.csv").write_text("n,celsius\n" + "".join(f"{n},{20 + n % 50 / 10}\n" for n in range(ROWS)))
workspace = Orchestrator.from_env().open_session(owner="acme", conversation_id="chat-1", node="agent").workspace()
toolbox = Toolbox(workspace)
agent = create_agent(ScriptedModel(steps=script), langchain_tools(toolbox), system_prompt=toolbox.instructions())
result = agent.invoke({"messages": [HumanMessage("What is the last reading of readings.csv?")]})

for message in result["messages"]:
    called = "".join(f"calls {each['name']}" for each in getattr(message, "tool_calls", []))
    print(f"[{message.type}] {called or message.content}")
cost = sum(tokens_of(str(message.content)) for message in result["messages"])
print(f"a file of {Path('readings.csv').stat().st_size:,} bytes cost the context {cost} tokens")
