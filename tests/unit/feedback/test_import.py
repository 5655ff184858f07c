"""The room's names are there, and cost nothing until they are asked for."""

from __future__ import annotations

import subprocess
import sys

import pytest

from session_datasets import feedback


@pytest.mark.parametrize("name", feedback.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(feedback, name) is not None


def test_a_name_that_is_not_public_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        feedback.nonsense  # noqa: B018


def test_the_room_imports_nothing_until_it_is_asked() -> None:
    code = (
        "import sys, session_datasets.feedback\n"
        "print([name for name in sys.modules if name.startswith('session_datasets.feedback.')])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_no_framework_is_imported_for_feedback() -> None:
    heavy = ("boto3", "botocore", "langchain_core", "langgraph", "temporalio", "mcp", "pyarrow", "pandas")
    code = (
        "import sys, logging\nlogging.disable()\nfrom session_datasets.feedback import as_feedback\n"
        "@as_feedback\ndef tool(): raise ValueError('x')\ntool()\n"
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
