"""Beside temporalio-deepagents: the same inputs, and the results agree, except where ours is meant to differ."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

import pytest
from deepagents.backends import protocol
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.tools import tool
from pydantic import BaseModel
from temporalio.converter import DataConverter
from temporalio.deepagents import DeepAgentsPlugin
from temporalio.deepagents import _serde as peer

from session_datasets.boundary import backend_results, config, messages, passthrough, payloads, result_cache
from session_datasets.boundary import tool_schema as schema
from session_datasets.boundary.references import FolderStore
from session_datasets.boundary.temporal import SessionDatasetsPlugin
from session_datasets.boundary.typed_json import UnsupportedValueError
from session_datasets.client.errors import ConfigurationError

# The peer asks LangChain for its default allow-list.
pytestmark = pytest.mark.filterwarnings("ignore::langchain_core._api.deprecation.LangChainPendingDeprecationWarning")

CONVERSATION: list[BaseMessage] = [
    SystemMessage("Be brief.", id="m0"),
    HumanMessage("Flights?", id="m1"),
    AIMessage("", tool_calls=[{"name": "find", "args": {"city": "Oslo"}, "id": "c1", "type": "tool_call"}], id="m2"),
    ToolMessage("3", tool_call_id="c1", id="m3"),
]
PROMPT = ChatPromptTemplate.from_messages([("human", "{x}")])


def wire(value: Any) -> Any:
    return json.loads(json.dumps(value))


# --- messages ---------------------------------------------------------------------------------------------------


def test_messages_are_spelled_alike() -> None:
    assert messages.dump_messages(CONVERSATION) == peer.dump_messages(CONVERSATION)


def test_each_reads_what_the_other_wrote() -> None:
    assert messages.load_messages(wire(peer.dump_messages(CONVERSATION))) == CONVERSATION
    assert peer.load_messages(wire(messages.dump_messages(CONVERSATION))) == CONVERSATION


def test_data_with_the_key_lc_is_data_to_both() -> None:
    looks_serialized = {"lc": 1, "type": "constructor", "id": ["x", "Y"], "kwargs": {}}
    message = AIMessage("x", additional_kwargs={"inner": looks_serialized})
    assert peer.load_messages(wire(peer.dump_messages([message]))) == [message]
    assert messages.load_messages(wire(messages.dump_messages([message]))) == [message]


def test_ours_builds_no_prompt_from_data() -> None:
    forged = wire(peer.dump_object(PROMPT))
    assert peer.load_object(forged) == PROMPT
    with pytest.raises(UnsupportedValueError, match="is not built from data"):
        messages.load_object(forged)


def test_ours_keeps_bytes_and_keys_that_json_lacks() -> None:
    message = ToolMessage("x", tool_call_id="1", artifact={"raw": b"x", "by_id": {1: "a"}})
    with pytest.raises(NotImplementedError):
        peer.load_messages(wire(peer.dump_messages([message])))
    assert messages.load_messages(wire(messages.dump_messages([message]))) == [message]


# --- config -----------------------------------------------------------------------------------------------------

CONFIG = {
    "tags": ["a"],
    "run_name": "n",
    "recursion_limit": 25,
    "metadata": {"user": "ann", "handle": object()},
    "configurable": {"thread_id": "t", "__pregel_send": print, "store": object()},
    "callbacks": [object()],
}


def test_configs_are_stripped_and_rebuilt_alike() -> None:
    stripped = config.strip_runnable_config(CONFIG)
    assert stripped == peer.strip_runnable_config(CONFIG)
    assert config.rebuild_runnable_config(stripped) == peer.rebuild_runnable_config(stripped)


def test_ours_drops_credentials() -> None:
    with_key = {"metadata": {"user": "ann", "api_key": "sk-1"}, "configurable": {"openai_api_key": "sk-1", "k": 1}}
    assert peer.strip_runnable_config(with_key) == with_key
    assert config.strip_runnable_config(with_key) == {"metadata": {"user": "ann"}, "configurable": {"k": 1}}


def test_ours_shares_nothing_with_the_config() -> None:
    live = {"metadata": {"list": [1]}}
    assert peer.strip_runnable_config(live)["metadata"]["list"] is live["metadata"]["list"]
    assert config.strip_runnable_config(live)["metadata"]["list"] is not live["metadata"]["list"]


def test_ours_sends_no_number_that_json_lacks() -> None:
    live = {"metadata": {"x": float("nan"), "y": 1}}
    assert list(peer.strip_runnable_config(live)["metadata"]) == ["x", "y"]
    assert config.strip_runnable_config(live) == {"metadata": {"y": 1}}


# --- tools ------------------------------------------------------------------------------------------------------


@tool
def find(city: str, limit: int = 3) -> str:
    """Finds flights."""
    return f"{city}{limit}"


def test_a_tool_is_advertised_alike() -> None:
    assert schema.tool_to_schema(find) == peer.tool_to_schema(find)


def test_ours_advertises_no_tool_without_its_arguments() -> None:
    bare = {"name": "find", "description": "Finds flights."}
    assert peer.tool_to_schema(bare) == {"type": "function", "function": bare}
    with pytest.raises(ValueError, match="the schema of its arguments is missing"):
        schema.tool_to_schema(bare)


# --- results of backends ----------------------------------------------------------------------------------------

RESULTS: list[Any] = [
    protocol.ReadResult(file_data={"content": "x", "encoding": "utf-8"}),
    protocol.GrepResult(matches=[{"path": "/f", "line": 1, "text": "x"}]),
    protocol.FileDownloadResponse(path="/f", content=b"\xff"),
    [protocol.WriteResult(path="/f"), {"plain": [1, None]}],
]


@pytest.mark.parametrize("result", RESULTS, ids=["read", "grep", "bytes", "nested"])
def test_results_come_back_alike(result: Any) -> None:
    theirs = peer.load_backend_result(wire(peer.dump_backend_result(result)))
    ours = backend_results.load_backend_result(wire(backend_results.dump_backend_result(result)))
    assert ours == theirs == result


def test_ours_escapes_data_that_has_the_key_of_a_tag() -> None:
    with pytest.raises(ValueError, match="refusing"):
        peer.load_backend_result(peer.dump_backend_result({"__deepagents_dataclass__": "os:path"}))
    assert peer.load_backend_result(peer.dump_backend_result({"__deepagents_bytes__": "eA=="})) == b"x"
    for data in ({"$type": "deepagents.WriteResult/1", "value": {}}, {"$type": "x"}, {"$dataset": 1}):
        assert backend_results.load_backend_result(backend_results.dump_backend_result(data)) == data


def test_ours_imports_nothing_by_a_name_of_the_data() -> None:
    asks = """
import sys
{imports}
before = "deepagents.backends.langsmith" in sys.modules
try:
    {load}
except Exception:
    pass
print(before, "deepagents.backends.langsmith" in sys.modules)
"""
    theirs = asks.format(
        imports="from temporalio.deepagents._serde import load_backend_result as load",
        load="load({'__deepagents_dataclass__': 'deepagents.backends.langsmith:X', 'fields': {}})",
    )
    ours = asks.format(
        imports="from session_datasets.boundary.backend_results import load_backend_result as load",
        load="load({'$type': 'deepagents.backends.langsmith.X/1', 'value': {}})",
    )
    assert printed(theirs) == "False True"
    assert printed(ours) == "False False"


def test_ours_keeps_tuples_sets_and_integer_keys() -> None:
    value = {"pair": (1, 2), "ids": {1, 2}, "by_id": {1: "a"}}
    assert backend_results.load_backend_result(wire(backend_results.dump_backend_result(value))) == value
    theirs = peer.load_backend_result(wire(peer.dump_backend_result({"pair": (1, 2), "by_id": {1: "a"}})))
    assert theirs == {"pair": [1, 2], "by_id": {"1": "a"}}


@dataclass
class Foreign:
    x: int


def test_ours_says_that_a_foreign_class_would_become_a_mapping() -> None:
    assert peer.load_backend_result(peer.dump_backend_result(Foreign(1))) == {"x": 1}
    with pytest.raises(UnsupportedValueError, match=r"typed_json\.register"):
        backend_results.dump_backend_result(Foreign(1))


# --- converter and modules --------------------------------------------------------------------------------------


class State(BaseModel):
    name: str
    note: str | None = None


def test_payloads_have_the_same_bytes() -> None:
    values = [State(name="a"), {"list": [1, None]}, "text", b"x", None]
    theirs = peer.build_data_converter(None).payload_converter.to_payloads(values)
    assert payloads.build_data_converter(None).payload_converter.to_payloads(values) == theirs


def test_both_exchange_the_default_and_refuse_a_programs_own() -> None:
    class Own(DataConverter.default.payload_converter_class):  # type: ignore[name-defined,misc]
        pass

    own = DataConverter(payload_converter_class=Own)
    for build, refusal in (
        (peer.build_data_converter, ValueError),
        (payloads.build_data_converter, ConfigurationError),
    ):
        assert build(DataConverter.default).payload_converter_class is not DataConverter.default.payload_converter_class
        with pytest.raises(refusal):
            build(own)


def test_the_two_plugins_work_on_one_client_theirs_first(tmp_path: Any) -> None:
    config: Any = {"data_converter": DataConverter.default}
    for plugin in (DeepAgentsPlugin(), SessionDatasetsPlugin(FolderStore(tmp_path))):
        config = plugin.configure_client(config)
    converter = config["data_converter"]
    # Theirs, which ours makes refuse what is too large.
    assert issubclass(converter.payload_converter_class, peer.DeepAgentsPayloadConverter)
    assert converter.external_storage is not None


def test_ours_passes_through_all_that_theirs_does() -> None:
    assert {*peer.default_passthrough_modules()} <= {*passthrough.default_passthrough_modules()}


# --- cache ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [None, False, {"a": [1]}], ids=repr)
def test_the_caches_answer_alike(value: Any) -> None:
    for cache in (peer, result_cache):
        cache.set_result_cache(None)
        assert cache.result_cache_snapshot() is None
        key = cache.cache_key("tool", "c1", {"a": 1})
        assert cache.cache_lookup(key) == (False, None)
        cache.cache_put(key, value)
        carried = wire(cache.result_cache_snapshot())
        cache.set_result_cache(carried)
        assert cache.cache_lookup(key) == (True, value)


def test_ours_has_stable_keys_for_what_has_only_an_address() -> None:
    assert peer.cache_key("t", "c", object()) != peer.cache_key("t", "c", object())
    with pytest.raises(UnsupportedValueError):
        result_cache.cache_key("t", "c", object())


def test_ours_has_keys_for_sets_that_every_process_agrees_on() -> None:
    ask = "from {} import cache_key; print(cache_key('t', 'c', {{'x', 'y', 'z', 'w', 'v'}}))"
    theirs = {printed(ask.format("temporalio.deepagents._serde"), seed) for seed in "12345"}
    ours = {printed(ask.format("session_datasets.boundary.result_cache"), seed) for seed in "12"}
    assert len(theirs) > 1
    assert len(ours) == 1


def test_ours_has_keys_for_mixed_key_types_and_tells_1_from_its_text() -> None:
    with pytest.raises(TypeError):
        peer.cache_key("t", "c", {1: "x", "a": "y"})
    assert result_cache.cache_key("t", "c", {1: "x", "a": "y"}) == result_cache.cache_key("t", "c", {"a": "y", 1: "x"})
    assert peer.cache_key("t", "c", {1: "x"}) == peer.cache_key("t", "c", {"1": "x"})
    assert result_cache.cache_key("t", "c", {1: "x"}) != result_cache.cache_key("t", "c", {"1": "x"})


def test_ours_hands_out_copies() -> None:
    answers = []
    for cache in (peer, result_cache):
        cache.set_result_cache(None)
        value = {"list": [1]}
        cache.cache_put("k", value)
        value["list"].append(2)
        answers.append(cache.cache_lookup("k")[1])
    assert answers == [{"list": [1, 2]}, {"list": [1]}]


def printed(code: str, seed: str = "0") -> str:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        env={"PYTHONHASHSEED": seed, "PYTHONPATH": "shared", "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()
