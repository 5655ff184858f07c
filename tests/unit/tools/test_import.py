"""Frameworks are optional: each is loaded by its own adapter, when it is used."""

from __future__ import annotations

import subprocess
import sys

import pytest

FRAMEWORKS = ("langchain_core", "langgraph", "deepagents", "mcp", "mcp_types", "temporalio", "uvicorn")
_BLOCKED = "import sys; sys.modules.update(dict.fromkeys({names!r}))\n"


def _python(program: str) -> str:
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return ran.stdout.strip()


def test_the_definitions_load_no_framework() -> None:
    program = "import sys; from session_datasets.tools import Toolbox, openai_tools, instructions; openai_tools()\n"
    assert _python(program + f"print([name for name in {FRAMEWORKS!r} if name in sys.modules])") == "[]"


def test_the_command_line_loads_no_framework() -> None:
    program = "import sys, session_datasets.cli.main\n"
    assert _python(program + f"print([name for name in {FRAMEWORKS!r} if name in sys.modules])") == "[]"


@pytest.mark.parametrize(
    ("use", "extra", "blocked"),
    [
        ("langchain_tools(None)", "langchain", ("langchain_core", "langchain_core.tools")),
        ("build_mcp_server(Toolbox(None))", "mcp", ("mcp", "mcp_types")),
        ("WorkspaceBackend", "deepagents", ("deepagents", "deepagents.backends.protocol")),
    ],
)
def test_a_missing_framework_names_its_extra(use: str, extra: str, blocked: tuple[str, ...]) -> None:
    program = _BLOCKED.format(names=blocked) + (
        "from session_datasets import errors, tools\n"
        "from session_datasets.tools import Toolbox\n"
        f"try: tools.{use}\n"
        "except errors.MissingExtraError as error: print(error)\n"
    )
    assert f"pip install 'session-datasets[{extra}]'" in _python(program)


def test_a_public_name_that_does_not_exist_is_said_so() -> None:
    from session_datasets import tools

    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = tools.nothing
    assert set(tools.__all__) <= set(dir(tools))
