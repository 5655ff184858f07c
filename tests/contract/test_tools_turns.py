"""The loops of docs/tools.md, as they stand there, with a scripted model in each provider's form."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace as Made
from typing import Any

import anthropic.types
import boto3
import pytest
from botocore.stub import Stubber

from session_datasets import Workspace
from session_datasets.tools import Toolbox, openai_turn
from tests.support.moto_cloud import MotoCloud

PAPER = (Path(__file__).parents[2] / "docs" / "tools.md").read_text()
CALLS = [("call-1", "list_artifacts", {}), ("call-2", "read_rows", {"artifact_id": "art_01jg00000000000000000000zz"})]
ASKED = {"role": "user", "content": "What is there?"}


@pytest.fixture
def workspace(cloud: MotoCloud, tmp_path: Path) -> Workspace:
    opened = cloud.open(directory=tmp_path)
    (tmp_path / "sales.csv").write_text("day,amount\n2026-01-01,10\n")
    opened.register_artifact(tmp_path / "sales.csv", name="Sales of January")
    return opened


def played(provider: str, workspace: Workspace, **names: Any) -> list[Any]:
    """Runs the block that imports the provider's turn; the messages at its end."""
    [program] = [each for each in re.findall(r"```python\n(.*?)```", PAPER, re.DOTALL) if f"{provider}_turn" in each]
    given = {"workspace": workspace, "model": "any", "messages": [ASKED], **names}
    exec(compile(program, "tools.md", "exec"), given)
    return list(given["messages"])  # type: ignore[call-overload]


def told(texts: list[str]) -> None:
    listing, refusal = texts
    assert "Sales of January" in listing
    assert refusal.startswith("Error: the read_rows call was NOT executed")


class Scripted:
    """Answers one response after the other, and keeps what it was sent."""

    def __init__(self, *responses: Any) -> None:
        self.sent: list[dict[str, Any]] = []
        self._responses = list(responses)

    def create(self, **sent: Any) -> Any:
        self.sent.append({**sent, "messages": list(sent.get("messages", sent.get("input", ())))})
        return self._responses.pop(0)


def test_the_loop_for_openai(workspace: Workspace) -> None:
    reasoning = Made(type="reasoning", id="rs-1")
    calls = [
        Made(type="function_call", call_id=id_, name=name, arguments=json.dumps(given)) for id_, name, given in CALLS
    ]
    last = Made(type="message", content="One dataset.")
    model = Scripted(Made(output=[reasoning, *calls]), Made(output=[last]))
    messages = played("openai", workspace, client=Made(responses=model))
    assert messages[:4] == [ASKED, reasoning, *calls]
    assert [(each["type"], each["call_id"]) for each in messages[4:6]] == [
        ("function_call_output", "call-1"),
        ("function_call_output", "call-2"),
    ]
    told([each["output"] for each in messages[4:6]])
    assert messages[6:] == [last]
    assert model.sent[1]["messages"] == messages[:6]


def test_a_completion_of_chat_completions(workspace: Workspace) -> None:
    calls = [Made(id=id_, function=Made(name=name, arguments=json.dumps(given))) for id_, name, given in CALLS]
    message = Made(role="assistant", tool_calls=calls)
    turn = openai_turn(Toolbox(workspace), Made(choices=[Made(message=message)]))
    assert turn.messages[0] is message
    assert [(each["role"], each["tool_call_id"]) for each in turn.messages[1:]] == [
        ("tool", "call-1"),
        ("tool", "call-2"),
    ]
    told([each["content"] for each in turn.messages[1:]])
    assert not turn.is_last


def test_a_completion_without_calls_is_the_last(workspace: Workspace) -> None:
    message = Made(role="assistant", tool_calls=None, content="One dataset.")
    turn = openai_turn(Toolbox(workspace), Made(choices=[Made(message=message)]))
    assert (turn.messages, turn.is_last) == ([message], True)


def test_the_loop_for_anthropic(workspace: Workspace) -> None:
    uses = [{"type": "tool_use", "id": id_, "name": name, "input": given} for id_, name, given in CALLS]
    first, last = (
        anthropic.types.Message.model_validate(
            {
                "id": "msg-1",
                "type": "message",
                "role": "assistant",
                "model": "any",
                "stop_reason": None,
                "stop_sequence": None,
                "usage": {"input_tokens": 1, "output_tokens": 1},
                "content": content,
            }
        )
        for content in ([{"type": "text", "text": "I look."}, *uses], [{"type": "text", "text": "One dataset."}])
    )
    model = Scripted(first, last)
    messages = played("anthropic", workspace, client=Made(messages=model))
    assert [each["role"] for each in messages] == ["user", "assistant", "user", "assistant"]
    assert messages[1]["content"] == first.content
    results = messages[2]["content"]
    assert [(each["tool_use_id"], each["is_error"]) for each in results] == [("call-1", False), ("call-2", True)]
    told([each["content"] for each in results])
    assert "list_artifacts" in model.sent[0]["system"]


def test_the_loop_for_bedrock(workspace: Workspace) -> None:
    uses = [{"toolUse": {"toolUseId": id_, "name": name, "input": given}} for id_, name, given in CALLS]
    bedrock = boto3.client("bedrock-runtime", region_name="eu-central-1")
    spoken = [{"text": "One dataset."}]
    with Stubber(bedrock) as stubbed:
        # Each request is checked by botocore against the service's model before anything is sent.
        for content in ([{"text": "I look."}, *uses], spoken):
            message = {"role": "assistant", "content": content}
            stubbed.add_response(
                "converse",
                {
                    "output": {"message": message},
                    "stopReason": "tool_use",
                    "usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2},
                    "metrics": {"latencyMs": 1},
                },
            )
        messages = played("bedrock", workspace, bedrock=bedrock, messages=[{**ASKED, "content": [{"text": "What?"}]}])
        stubbed.assert_no_pending_responses()
    results = [each["toolResult"] for each in messages[2]["content"]]
    assert [(each["toolUseId"], each["status"]) for each in results] == [("call-1", "success"), ("call-2", "error")]
    told([each["content"][0]["text"] for each in results])
    assert messages[3]["content"] == spoken
