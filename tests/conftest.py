"""Fixtures that more than one ring asks for. A ring on deployed functions has its own ``cloud``."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings

from tests.support import sharing
from tests.support.cloud import told_of_endpoint
from tests.support.deployed_fixtures import stack
from tests.support.enforced_fixtures import enforced
from tests.support.moto_cloud import cloud, moto_server

__all__ = ["cloud", "enforced", "moto_server", "stack"]

# Tests assert no times: a machine that is busy with something else is no failure of an example.
settings.register_profile("without deadlines", deadline=None)
settings.load_profile("without deadlines")

# Asked before any test changes the environment.
_TOLD = told_of_endpoint()


def pytest_report_header() -> str:
    return _TOLD or ""


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    # Once more at the end: by then the header is a thousand lines away.
    if _TOLD:
        terminalreporter.write_line(_TOLD, yellow=True)


def pytest_make_parametrize_id(config: pytest.Config, val: object, argname: str) -> str | None:
    """Bytes (gzip writes the time into its own) and bare objects have no name that is the same in every process."""
    return argname if isinstance(val, bytes) or " object at 0x" in repr(val) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    sharing.check(items)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> sharing.ByDeployment | None:
    """``--dist loadscope`` means: by deployment."""
    return sharing.ByDeployment(config, log) if config.getvalue("dist") == "loadscope" else None
