"""What crosses by reference is far below what the boundaries take in one piece."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from session_datasets.boundary.backend_results import load_backend_result
from session_datasets.boundary.references import FolderStore, externalize, hydrate
from session_datasets.boundary.result_cache import BUDGET_BYTES, ENTRY_BYTES_MAX
from session_datasets.boundary.temporal.driver import ArtifactStorageDriver
from session_datasets.boundary.temporal.plugin import THRESHOLD_BYTES

KIB = 1024
TEMPORAL, STEP_FUNCTIONS, LAMBDA = 2 * KIB * KIB, 256 * KIB, 6 * KIB * KIB
LARGE = [{"id": number, "text": f"{number:500}"} for number in range(14_000)]


@pytest.mark.parametrize(
    "output", [LARGE, {"rows": LARGE, "count": 3}, {"deep": {"rows": LARGE}}], ids=["list", "field", "deep field"]
)
def test_an_output_above_every_limit_crosses_below_the_smallest_and_comes_back(output: Any, tmp_path: Path) -> None:
    store = FolderStore(tmp_path)
    assert len(json.dumps(output)) > max(TEMPORAL, STEP_FUNCTIONS, LAMBDA)
    crossing = json.dumps(externalize(output, store)).encode()
    assert len(crossing) < min(TEMPORAL, STEP_FUNCTIONS, LAMBDA)
    assert hydrate(json.loads(crossing), store) == output


def test_a_payload_that_stays_inline_is_far_below_what_temporal_takes() -> None:
    assert THRESHOLD_BYTES * 8 < TEMPORAL


def test_a_snapshot_of_a_full_cache_is_below_what_temporal_takes() -> None:
    assert ENTRY_BYTES_MAX < BUDGET_BYTES < TEMPORAL


def test_a_reference_in_a_result_passes_through_as_it_is(tmp_path: Path) -> None:
    reference = externalize(LARGE, FolderStore(tmp_path))
    assert load_backend_result(reference) == reference


def test_the_driver_takes_payloads_that_no_history_would(tmp_path: Path) -> None:
    import asyncio

    from temporalio.api.common.v1 import Payload
    from temporalio.converter import StorageDriverStoreContext

    driver = ArtifactStorageDriver(lambda: FolderStore(tmp_path))
    [claim] = asyncio.run(driver.store(StorageDriverStoreContext(), [Payload(data=b"x" * (3 * TEMPORAL))]))
    assert sum(map(len, claim.claim_data.values())) < KIB
