"""What crosses a boundary needs no framework until one is used."""

from __future__ import annotations

import subprocess
import sys

import pytest

from session_datasets import boundary

FRAMEWORKS = ("langchain_core", "langgraph", "deepagents", "temporalio", "pandas", "numpy", "polars", "pyarrow", "mcp")
MODULES = (
    "backend_results", "config", "messages", "passthrough", "payloads", "result_cache", "temporal", "tool_schema",
)  # fmt: skip
BLOCKED = f"""
import sys
for name in {FRAMEWORKS!r}:
    sys.modules[name] = None
"""


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


ALL = "\n".join(f"import session_datasets.boundary.{module}" for module in MODULES)


def test_every_part_imports_without_any_framework() -> None:
    run(f"{BLOCKED}\n{ALL}")


def test_no_part_imports_a_framework_that_is_there() -> None:
    loaded = run(f"{ALL}\nimport sys\nprint(*sorted(set(sys.modules) & set({FRAMEWORKS!r})))")
    assert loaded.split() == []


@pytest.mark.parametrize(
    ("call", "extra"),
    [
        ("from session_datasets.boundary.messages import dump_messages; dump_messages(['x'])", "langchain"),
        ("from session_datasets.boundary.messages import load_messages; load_messages([])", "langchain"),
        ("from session_datasets.boundary.tool_schema import tool_to_schema; tool_to_schema(print)", "langchain"),
        (
            "from session_datasets.boundary.backend_results import load_backend_result as load; "
            "load({'$type': 'deepagents.WriteResult/1', 'value': {}})",
            "deepagents",
        ),
        ("from session_datasets.boundary.payloads import build_data_converter; build_data_converter()", "temporal"),
        ("from session_datasets.boundary.payloads import SetFieldsPayloadConverter", "temporal"),
        ("from session_datasets.boundary.temporal import SessionDatasetsPlugin", "temporal"),
    ],
    ids=["dump messages", "load messages", "tool", "deepagents", "converter", "converter class", "plugin"],
)
def test_a_missing_framework_is_named_with_the_extra_that_brings_it(call: str, extra: str) -> None:
    told = run(
        f"{BLOCKED}\nfrom session_datasets import errors\n"
        f"try:\n    {call}\nexcept errors.MissingExtraError as error:\n    print(error)\n"
    )
    assert f"pip install 'session-datasets[{extra}]'" in told


def test_what_needs_no_framework_works_without_one() -> None:
    told = run(
        f"{BLOCKED}\n"
        "from session_datasets.boundary import backend_results, config, messages, result_cache\n"
        "print(messages.load_object(messages.dump_object({'lc': 1, 'b': b'x'})))\n"
        "print(backend_results.load_backend_result(backend_results.dump_backend_result([(1, 2)])))\n"
        "print(config.strip_runnable_config({'tags': ['a']}))\n"
        "print(len(result_cache.cache_key('tool', 'call', {})))\n"
    )
    assert told.splitlines() == ["{'lc': 1, 'b': b'x'}", "[(1, 2)]", "{'tags': ['a']}", "64"]


def test_a_name_that_the_temporal_part_lacks_is_an_attribute_error() -> None:
    from session_datasets.boundary import temporal

    with pytest.raises(AttributeError, match="nonsense"):
        temporal.nonsense  # noqa: B018


@pytest.mark.parametrize("name", boundary.__all__)
def test_every_public_name_of_the_room_is_there(name: str) -> None:
    assert getattr(boundary, name).__name__ == name


def test_a_name_that_the_room_lacks_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        boundary.nonsense  # noqa: B018
