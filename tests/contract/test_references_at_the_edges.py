"""References at the edges of the service: who reaches them, until when, and files that no table is made of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from session_datasets.boundary import references
from session_datasets.boundary.references import WorkspaceStore
from session_datasets.boundary.references.errors import (
    MissingReferenceError,
    UnreachableReferenceError,
)
from session_datasets.client.errors import AuthenticationError
from session_datasets.client.workspace import Workspace
from tests.contract.referring import FRAME, OpenNode, artifact_id, node, workspace_of
from tests.support.moto_cloud import MotoCloud

__all__ = ["node"]


def test_a_session_that_the_orchestrator_opened_in_both_reaches_a_reference_of_the_other_run(node: OpenNode) -> None:
    reference = references.save({"n": 1}, node(run_id="run-1", conversation_id="talk"))
    assert references.load(reference, node(run_id="run-2", conversation_id="talk")) == {"n": 1}


def test_a_session_whose_token_is_not_valid_is_told_so(node: OpenNode) -> None:
    reference = references.save({"n": 1}, node())
    reader = node()
    token = workspace_of(reader).token
    broken = WorkspaceStore(
        Workspace(token[:-4] + "AAAA", workspace_of(reader)._calls._transport, workspace_of(reader).directory)
    )
    with pytest.raises(AuthenticationError):
        references.load(reference, broken)


def test_a_run_that_has_ended_brings_nothing_back(node: OpenNode, cloud: MotoCloud) -> None:
    reference = references.save({"n": 1}, node())
    reader = node()
    cloud.orchestrator().end_run(owner="acme", run_id="run-1", release_leases=True)
    with pytest.raises((MissingReferenceError, UnreachableReferenceError)):
        references.load(reference, reader)


def test_a_large_file_is_brought_back_while_its_profile_is_still_being_made(moto_server: str, tmp_path: Path) -> None:
    cloud = MotoCloud(moto_server, profiled_at_once_bytes=100)
    store = WorkspaceStore(cloud.open(run_id="run-1", directory=tmp_path))
    reference = references.save(FRAME, store)
    assert workspace_of(store).describe_artifact(artifact_id(reference)).status == "profiling"
    assert references.load(reference, store).equals(FRAME)


@pytest.mark.parametrize(
    "data",
    [b"PAR1garbage", b"\x1f\x8bgarbage", b"\x93NUMPYjunk", b"PK\x03\x04junk", b"{broken", b"\0" * 10],
    ids=["parquet", "gzip", "npy", "zip", "json", "nul"],
)
def test_bytes_that_only_look_like_a_format_are_kept_as_they_are(node: OpenNode, data: bytes) -> None:
    assert references.load_bytes(references.save_bytes(data, node()), node()) == data


@pytest.mark.parametrize(
    "value",
    [
        pa.table({"i": pa.array([(1, 2, 3)], pa.month_day_nano_interval())}),
        pa.table([[1], [2]], names=["a", "a"]),
        pd.DataFrame([[1, "x"], [None, 2]], columns=pd.Index([None, ("a", 1)], dtype=object), dtype=object),
        np.array([1j]),
        np.zeros((2, 2, 2)),
        [{"a": 1}, {"a": (1,)}, {"b": b"x"}],
        [float("nan"), 2**80, "\ud800"],
    ],
    ids=["months", "names-twice", "odd-labels", "complex", "three-axes", "records", "numbers"],
)
def test_a_value_that_the_service_does_not_page_is_still_kept_and_loaded(node: OpenNode, value: Any) -> None:
    assert type(references.load(references.save(value, node()), node())) is type(value)
