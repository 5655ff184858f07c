"""LangChain messages over the boundary: the same messages come back, and data never becomes an object."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.documents import Document
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.load import dumpd
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    ChatMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_core.outputs import ChatGeneration
from langchain_core.prompts import ChatPromptTemplate

from session_datasets.boundary.messages import _allowed, dump_messages, dump_object, load_messages, load_object
from session_datasets.boundary.typed_json import MalformedJsonError, TooDeepError, TypedJsonError, UnsupportedValueError

CALL = {"name": "find", "args": {"city": "Oslo", "limit": 3}, "id": "call-1", "type": "tool_call"}
CONVERSATION: list[BaseMessage] = [
    SystemMessage("Be brief.", id="m0"),
    HumanMessage([{"type": "text", "text": "Flights?"}], id="m1", name="ann"),
    AIMessage(
        "", tool_calls=[CALL], id="m2", usage_metadata={"input_tokens": 3, "output_tokens": 4, "total_tokens": 7}
    ),
    ToolMessage("3 flights", tool_call_id="call-1", id="m3", status="error"),
    AIMessageChunk("Three", id="m4"),
    ChatMessage("hm", role="critic", id="m5"),
    RemoveMessage(id="m0"),
]
# What a serialized prompt looks like, and would be built into one by whoever trusts it.
LOOKS_SERIALIZED = dumpd(ChatPromptTemplate.from_messages([("human", "{x}")]))


def over_the_wire(value: Any) -> Any:
    return json.loads(json.dumps(value, allow_nan=False))


def test_messages_keep_class_order_ids_and_tool_calls() -> None:
    loaded = load_messages(over_the_wire(dump_messages(CONVERSATION)))
    assert loaded == CONVERSATION
    assert [type(each) for each in loaded] == [type(each) for each in CONVERSATION]
    assert loaded[2].tool_calls == [CALL]


@pytest.mark.parametrize("message", CONVERSATION, ids=lambda each: type(each).__name__)
def test_a_plain_message_is_spelled_as_langchain_spells_it(message: BaseMessage) -> None:
    assert dump_object(message) == dumpd(message)


def test_what_langchain_takes_for_a_message_is_one() -> None:
    loaded = load_messages(dump_messages([("human", "hi"), {"role": "assistant", "content": "ho"}]))
    assert loaded == [HumanMessage("hi"), AIMessage("ho")]


@pytest.mark.parametrize(
    "place",
    ["additional_kwargs", "response_metadata", "tool call", "content", "artifact"],
)
@pytest.mark.parametrize(
    "data",
    [
        LOOKS_SERIALIZED,
        {"lc": 1, "type": "secret", "id": ["HOME"]},
        {"lc": 1, "type": "not_implemented", "id": ["x"], "repr": "<x>"},
        {"__lc_escaped__": {"lc": 1}},
        {"__lc_escaped__": {"__lc_escaped__": LOOKS_SERIALIZED}},
        {"lc": 2},
        {"$type": "bytes/1", "value": "eA=="},
        {"$dataset": "built"},
        {"lc": 1, 2: (3, b"x")},
    ],
    ids=["prompt", "secret", "not implemented", "escaped", "escaped twice", "other lc", "tag", "reference", "odd keys"],
)
def test_data_that_looks_serialized_comes_back_as_data(place: str, data: dict[Any, Any]) -> None:
    message: BaseMessage
    match place:
        case "tool call":
            message = AIMessage("", tool_calls=[{"name": "t", "args": {"a": data}, "id": "1"}])
        case "content":
            message = HumanMessage([{"type": "text", "text": "x", "extra": data}])
        case "artifact":
            message = ToolMessage("x", tool_call_id="1", artifact=[data])
        case field:
            message = AIMessage("x", **{field: {"inner": data}})
    assert load_messages(over_the_wire(dump_messages([message]))) == [message]


@pytest.mark.parametrize(
    "data", [LOOKS_SERIALIZED, {"lc": 1, "type": "secret", "id": ["HOME"]}], ids=["prompt", "secret"]
)
def test_data_that_looks_serialized_is_data_at_the_top_too(data: dict[str, Any]) -> None:
    assert load_object(over_the_wire(dump_object(data))) == data


@pytest.mark.parametrize(
    "forged",
    [
        LOOKS_SERIALIZED,
        {"lc": 1, "type": "secret", "id": ["HOME"]},
        {"lc": 1, "type": "not_implemented", "id": ["os", "system"], "repr": "x"},
        {"lc": 1, "type": "constructor", "id": ["os", "system"], "kwargs": {}},
        {"lc": 1, "type": "constructor", "id": ["langchain_core", "messages", "ai", "__import__"], "kwargs": {}},
        {"lc": 1, "type": "constructor", "id": [], "kwargs": {}},
        {"lc": 1, "type": "constructor", "id": "langchain", "kwargs": {}},
        {"lc": 3, "type": "constructor", "id": dumpd(HumanMessage("x"))["id"], "kwargs": {"content": "x"}},
        {**dumpd(HumanMessage("x")), "kwargs": ["x"]},
    ],
    ids=["prompt", "secret", "not implemented", "module", "attribute", "no id", "text id", "version", "no kwargs"],
)
def test_what_nobody_escaped_and_nobody_allowed_is_refused(forged: dict[str, Any]) -> None:
    with pytest.raises(UnsupportedValueError, match="Messages, documents and generations cross"):
        load_object({"field": [forged]})


@pytest.mark.parametrize("name", ["uuid_never_imported", "antigravity"])
def test_refusing_imports_nothing(name: str) -> None:
    import sys

    with pytest.raises(UnsupportedValueError):
        load_object({"lc": 1, "type": "constructor", "id": [name, "X"], "kwargs": {}})
    assert name not in sys.modules


@pytest.mark.parametrize(
    "made_here", [FakeListChatModel(responses=["x"]), ChatPromptTemplate.from_messages([("human", "{x}")])],
    ids=["model", "prompt"],
)  # fmt: skip
def test_a_model_or_a_prompt_is_not_written(made_here: Any) -> None:
    with pytest.raises(UnsupportedValueError, match="is not written"):
        dump_object({"bound": made_here})


def test_a_subclass_that_would_lose_itself_is_not_written() -> None:
    class Mine(AIMessage):
        pass

    with pytest.raises(UnsupportedValueError, match="Mine is not written"):
        dump_messages([Mine("x")])


def test_a_langchain_object_inside_of_escaped_data_is_not_lost_but_refused() -> None:
    with pytest.raises(UnsupportedValueError, match="with the key 'lc'"):
        dump_object({"lc": 1, "document": Document("x")})


ODD = {"when": date(2026, 11, 30), "sum": Decimal("1.10"), 3: (b"x", {1, 2}), "no": float("inf"), "cut": "\ud800"}


def test_values_that_json_lacks_are_kept_in_every_free_field() -> None:
    messages = [
        ToolMessage("x", tool_call_id="1", artifact=ODD),
        AIMessage(
            "\ud800", additional_kwargs={"odd": ODD}, tool_calls=[{"name": "t", "args": {"odd": ODD}, "id": "1"}]
        ),
    ]
    assert load_messages(over_the_wire(dump_messages(messages))) == messages


def test_documents_and_generations_lie_in_messages_and_in_containers() -> None:
    message = ToolMessage("x", tool_call_id="1", artifact=(Document("a", metadata={"page": 1}), [Document("b")]))
    value = {"generation": ChatGeneration(message=AIMessage("y")), "messages": [message]}
    assert load_object(over_the_wire(dump_object(value))) == value


def test_a_message_of_an_older_release_is_read_by_its_older_id() -> None:
    older = {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "AIMessage"], "kwargs": {"content": "x"}}
    assert load_messages([older]) == [AIMessage("x")]


def test_a_field_of_a_newer_release_is_kept_and_a_missing_one_is_defaulted() -> None:
    dumped = dump_object(AIMessage("x"))
    dumped["kwargs"] = {"content": "x", "mood": "calm"}
    loaded = load_object(dumped)
    assert (loaded.content, loaded.tool_calls, loaded.mood) == ("x", [], "calm")


def test_a_message_without_what_makes_it_one_is_refused_without_its_values() -> None:
    dumped = {**dumpd(ToolMessage("x", tool_call_id="1")), "kwargs": {"content": "my password", "tool_call_id": None}}
    with pytest.raises(MalformedJsonError, match="ToolMessage of this version of langchain-core") as refused:
        load_object(dumped)
    assert "my password" not in str(refused.value)


FIELDS = [
    "content", "tool_calls", "invalid_tool_calls", "tool_call_chunks", "usage_metadata", "additional_kwargs",
    "response_metadata", "tool_call_id", "artifact", "status", "id", "name", "role", "type", "example", "message",
    "generation_info", "page_content", "metadata", "text", "chunk_position",
]  # fmt: skip
WRONG = [5, None, "x", True, [5], [None], ["x"], [[]], [{}], {}, {"a": 1}, [{"name": 5}], [{"type": {}}], [{"id": []}]]


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("kind", sorted({cls.__name__ for cls in _allowed().values()}))
def test_a_field_of_any_form_makes_an_object_or_is_refused(kind: str, field: str) -> None:
    identity = next(identity for identity, cls in _allowed().items() if cls.__name__ == kind)
    fields = {
        "content": "x",
        "tool_call_id": "t",
        "role": "r",
        "id": "i",
        "text": "x",
        "page_content": "x",
        "name": "n",
    }
    for wrong in WRONG:
        data = {"lc": 1, "type": "constructor", "id": list(identity), "kwargs": {**fields, field: wrong}}
        # What is refused is a TypedJsonError and nothing else.
        with suppress(TypedJsonError):
            assert type(load_object(data)).__name__ == kind


def test_a_tool_call_that_is_a_number_is_refused_as_malformed() -> None:
    dumped = dump_object(AIMessage("x"))
    dumped["kwargs"]["tool_calls"] = [5]
    with pytest.raises(MalformedJsonError, match="do not make a AIMessage"):
        load_object(dumped)


def test_something_else_than_a_message_is_no_message() -> None:
    with pytest.raises(MalformedJsonError, match="Entry 1 is a dict"):
        load_messages([dump_object(HumanMessage("x")), {"content": "x"}])


def test_a_cyclic_artifact_is_refused_with_its_path() -> None:
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(TypedJsonError, match="holds itself"):
        dump_messages([ToolMessage("x", tool_call_id="1", artifact=loop)])


def test_data_that_lies_in_itself_too_deep_is_refused() -> None:
    deep: Any = "x"
    for _ in range(5_000):
        deep = [deep]
    with pytest.raises(TooDeepError):
        load_object(deep)


def test_dumping_changes_nothing_and_shares_nothing() -> None:
    message = AIMessage("x", additional_kwargs={"list": [1]})
    dumped = dump_object(message)
    dumped["kwargs"]["additional_kwargs"]["list"].append(2)
    assert message.additional_kwargs == {"list": [1]}


plain = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
keys = st.sampled_from(["lc", "__lc_escaped__", "$type", "$dataset", "type", "id", "kwargs", "value"]) | st.text()
data = st.recursive(plain, lambda inner: st.lists(inner) | st.dictionaries(keys, inner), max_leaves=12)


@given(data)
def test_any_data_comes_back_from_any_place(value: Any) -> None:
    message = AIMessage("x", additional_kwargs={"data": value})
    assert load_object(over_the_wire(dump_object([value, message]))) == [value, message]
