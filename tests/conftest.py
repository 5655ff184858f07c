"""Fixtures that more than one ring asks for. A ring on deployed functions has its own ``cloud``."""

from __future__ import annotations

import pytest
from hypothesis import settings

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


# Before xdist, which looks for the groups in its own.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Processes that share the work do not share a fixture: what stands on one deployment stays in one process."""
    for item in items:
        if group := _deployment_of(item):
            item.add_marker(pytest.mark.xdist_group(group))


def _deployment_of(item: pytest.Item) -> str | None:
    fixtures = getattr(item, "fixturenames", ())
    for deployment in ("stack", "enforced"):
        if deployment in fixtures:
            return deployment
    ring = item.path.relative_to(item.config.rootpath / "tests").parts[0]
    if ring in {"upgrade", "infrastructure", "bench"}:
        return ring
    return f"local {item.path.stem}" if ring == "local" else None
