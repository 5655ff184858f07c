"""The queue of profiles that take longer than a call, and where messages end that nothing could be done with."""

from __future__ import annotations

from constructs import Construct

from infra.constructs.artifact_function import ArtifactFunction
from infra.constructs.work_queue import WorkQueue
from infra.environments import Environment
from session_datasets.domain.limits import PROFILE_TRIES_MAX

# The delivery after the last try only writes down that the service gave up.
DELIVERIES = PROFILE_TRIES_MAX + 1


class ProfileQueue(WorkQueue):
    """``dead_letters`` holds what was delivered too often: each one is a file that a person should look at."""

    def __init__(self, scope: Construct, construct_id: str, *, worker_seconds: int) -> None:
        super().__init__(scope, construct_id, worker_seconds=worker_seconds, deliveries=DELIVERIES)

    def deliver_to(self, worker: ArtifactFunction, environment: Environment) -> None:
        """One message a call, so that one file's failure is nobody else's."""
        worker.alias.add_event_source_mapping(
            "Profiles",
            event_source_arn=self.queue_arn,
            batch_size=1,
            report_batch_item_failures=True,
            max_concurrency=environment.profiles_at_a_time,
        )
