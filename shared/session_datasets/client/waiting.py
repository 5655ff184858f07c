"""Waiting for a profile that the service makes after it has answered."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from session_datasets.client.calls import Calls
from session_datasets.client.deadline import seconds_left
from session_datasets.client.errors import WaitedTooLongError, error_of
from session_datasets.client.patience import Patience
from session_datasets.client.references import reference_of
from session_datasets.domain.artifact import Status
from session_datasets.domain.names import Verb
from session_datasets.wire.answers import ArtifactFields, DescribeArtifactAnswer, RegisterArtifactAnswer

# Called with the artifact as it is, each time that it was asked about and is not ready yet.
OnProfiling = Callable[[DescribeArtifactAnswer], None]
# Longer than the three tries of a profile take, with the waits between them.
WAIT_SECONDS = 3_600.0
# Seconds between two questions: few for a small file, and never so many that a result is stale.
_FIRST_WAIT = 1.0
_LONGEST_WAIT = 10.0


class Waiting:
    """Asks describe_artifact, less and less often. ``now`` counts seconds."""

    def __init__(self, calls: Calls, patience: Patience, now: Callable[[], float] = time.monotonic) -> None:
        self._calls = calls
        self._patience = replace(patience, first_wait=_FIRST_WAIT, longest_wait=_LONGEST_WAIT)
        self._now = now

    def until_ready(
        self, reference: dict[str, Any], timeout: float = WAIT_SECONDS, tell: OnProfiling | None = None
    ) -> DescribeArtifactAnswer:
        """The artifact when it is ready. WaitedTooLongError after ``timeout`` seconds, at whose end it is asked about
        once more; the error that registering would have raised when the profile failed."""
        ends, asked = self._now() + min(timeout, seconds_left()), 0
        while (artifact := self._described(reference)).status is Status.PROFILING:
            if tell is not None:
                tell(artifact)
            left = ends - self._now()
            if left <= 0:
                raise _waited_too_long(artifact, timeout)
            asked += 1
            self._patience.wait(asked, at_most=left)
        if artifact.failure is not None:
            raise error_of(artifact.failure)
        return artifact

    def concluded(
        self, answer: RegisterArtifactAnswer, timeout: float, tell: OnProfiling | None
    ) -> RegisterArtifactAnswer:
        """The same answer as it would be of a small file: with the profile, once there is one."""
        if answer.status is Status.READY:
            return answer
        artifact = self.until_ready(reference_of(answer), timeout, tell)
        known = {name: getattr(artifact, name) for name in ArtifactFields.model_fields}
        return answer.model_copy(update={**known, "profile": artifact.profile and artifact.profile.essential()})

    def _described(self, reference: dict[str, Any]) -> DescribeArtifactAnswer:
        return self._calls.ask(Verb.DESCRIBE_ARTIFACT, DescribeArtifactAnswer, reference=reference)


def _waited_too_long(artifact: DescribeArtifactAnswer, timeout: float) -> WaitedTooLongError:
    progress = artifact.progress
    stage = progress.stage.replace("_", " ") if progress else "queued"
    rows = f", {progress.rows:,} rows so far" if progress and progress.rows else ""
    return WaitedTooLongError(
        f"{artifact.artifact_id} is registered and still being profiled after {timeout:,.0f} seconds ({stage}{rows}).",
        "The service goes on: wait for it again, also in another session, or load the file meanwhile.",
    )
