"""The ring in which AWS's policies are enforced: one deployed stack for all of it."""

from __future__ import annotations

import pytest

from tests.support.enforced_cloud import EnforcedCloud


@pytest.fixture
def cloud(enforced: EnforcedCloud, monkeypatch: pytest.MonkeyPatch) -> EnforcedCloud:
    """The deployed stack; the SDK finds it, and a node's credentials, in this process's environment."""
    for name, value in enforced.node.variables.items():
        monkeypatch.setenv(name, value)
    # For tests that send presigned requests by themselves.
    monkeypatch.setenv("SSL_CERT_FILE", str(enforced.stack.certificate))
    return enforced
