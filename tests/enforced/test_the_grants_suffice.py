"""Suites of the deployed stack once more, where nobody has more rights than the table of grants gives."""

import pytest

from session_datasets import Orchestrator
from session_datasets.client.transport import InProcessTransport
from tests.end_to_end.test_handoff import *  # noqa: F403
from tests.integration.test_ending import *  # noqa: F403
from tests.integration.test_large_files import *  # noqa: F403
from tests.integration.test_the_life_of_a_dataset import *  # noqa: F403
from tests.support.enforced_cloud import EnforcedCloud


@pytest.fixture
def orchestrator(cloud: EnforcedCloud) -> Orchestrator:
    """With an orchestrator's credentials; the environment holds a node's."""
    return Orchestrator(InProcessTransport(cloud.call))
