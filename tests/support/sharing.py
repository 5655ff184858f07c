"""How processes share the slow rings: what stands on one deployment, or shares a fixture of its module, stays in one.

xdist's own groups (``--dist loadgroup``) do nothing under this pytest, whose ids they would be written into.
"""

from __future__ import annotations

import re

import pytest
from xdist.scheduler.loadscope import LoadScopeScheduling

from tests.support.cloud import emulators_under_test

_RINGS_OF_ONE_FIXTURE = {"enforced", "upgrade", "infrastructure", "bench"}
# Tests elsewhere that ask for the enforcing deployment.
_ENFORCED = {
    "tests/abuse/test_case_04_more_than_the_verb_needs.py",
    "tests/abuse/test_case_06_presigned_urls.py",
}
_ON_A_STACK = re.compile(rf"[\[-]({'|'.join(emulators_under_test())})[\]-]")


def sharers_of(nodeid: str) -> str:
    """The name of those tests that have to run in the same process as this one."""
    path, _, test = nodeid.partition("::")
    ring = path.split("/")[1]
    if ring in _RINGS_OF_ONE_FIXTURE:
        return ring
    if ring != "local" and _ON_A_STACK.search(test):
        return "stack"
    return "enforced" if path in _ENFORCED else path


def check(items: list[pytest.Item]) -> None:
    """UsageError for a test that would start a second deployment beside the one that others share."""
    for item in items:
        for deployment in sorted(_deployments_of(item)):
            if sharers_of(item.nodeid) != deployment:
                raise pytest.UsageError(f"{item.nodeid} uses the fixture {deployment}: say so in {__name__}")


def _deployments_of(item: pytest.Item) -> set[str]:
    """Names of the session's fixtures that deploy; a module may have its own of the same name."""
    if not isinstance(item, pytest.Function):
        return set()
    found = item._fixtureinfo.name2fixturedefs
    return {name for name in ("stack", "enforced") if name in found and found[name][-1].scope == "session"}


class ByDeployment(LoadScopeScheduling):  # type: ignore[misc]
    def _split_scope(self, nodeid: str) -> str:
        return sharers_of(nodeid)
