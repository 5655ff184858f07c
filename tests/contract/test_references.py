"""Values cross from node to node as artifacts: what one session saved, another of its run brings back."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from session_datasets.boundary import references
from session_datasets.boundary.references import WorkspaceStore
from session_datasets.boundary.references.errors import (
    ChangedReferenceError,
    HydrateBudgetError,
    MalformedReferenceError,
    MissingReferenceError,
    UnreachableReferenceError,
    WrongStoreError,
)
from session_datasets.client.transport import InProcessTransport
from session_datasets.client.workspace import Workspace
from tests.contract.referring import FRAME, OpenNode, artifact_id, key_of, node, workspace_of
from tests.support.moto_cloud import MotoCloud

__all__ = ["node"]


@pytest.mark.parametrize(
    "value",
    [
        FRAME,
        pd.DataFrame(),
        pl.DataFrame({"a": [1, None], "b": ["x", "y"]}),
        pa.table({"a": [1, 2]}),
        pa.table({}),
        pa.table({"d": pa.array(["x", "y"]).dictionary_encode()}),
        np.arange(6.0).reshape(2, 3),
        np.array(5),
        np.zeros((0, 3)),
        np.zeros(2, dtype=[("a", "<i4"), ("b", "U3")]),
        {"a": (1, {2: b"x"})},
        ["x" * 10] * 5,
        "text",
        b"",
        0,
    ],
    ids=[
        "pandas",
        "pandas-empty",
        "polars",
        "arrow",
        "arrow-empty",
        "arrow-dictionary",
        "array",
        "array-0d",
        "array-of-none",
        "array-structured",
        "dict",
        "list",
        "text",
        "no-bytes",
        "zero",
    ],
)
def test_what_one_node_saved_another_of_the_run_loads(node: OpenNode, value: Any) -> None:
    reference = references.save(value, node(), name="result")
    loaded = references.load(reference, node())
    assert type(loaded) is type(value)
    assert np.array_equal(loaded, value) if isinstance(value, np.ndarray) else _equal(loaded, value)


def _equal(one: Any, other: Any) -> bool:
    return bool(one.equals(other)) if hasattr(one, "equals") else bool(one == other)


def test_an_output_with_a_frame_in_it_is_brought_back_by_the_next_node(node: OpenNode) -> None:
    output = references.externalize({"orders": FRAME, "total": 2}, node(), name="orders")
    assert output["total"] == 2
    hydrated = references.hydrate(output, node())
    pd.testing.assert_frame_equal(hydrated["orders"], FRAME)


def test_a_frame_behind_a_reference_is_an_artifact_whose_rows_can_be_paged(node: OpenNode) -> None:
    store = node()
    reference = references.save(FRAME, store, name="orders")
    page = workspace_of(store).read_rows(artifact_id(reference), columns=["city", "n"])
    assert page.rows == [["Köln", 1], [None, 2]]


def test_the_artifact_has_the_name_that_was_given(node: OpenNode) -> None:
    store = node()
    references.save(FRAME, store, name="orders: 2026/11")
    assert [each.name for each in workspace_of(store).list_artifacts()] == ["orders: 2026/11"]


def test_the_same_name_twice_makes_two_artifacts_and_both_are_loaded(node: OpenNode) -> None:
    store = node()
    first, second = (references.save({"n": n}, store, name="../same name?") for n in (1, 2))
    assert artifact_id(first) != artifact_id(second)
    assert [references.load(each, node()) for each in (first, second)] == [{"n": 1}, {"n": 2}]


def test_a_name_with_unsafe_characters_stays_in_the_workspace(node: OpenNode) -> None:
    reference = references.save({"n": 1}, node(), name="../../etc/passwd\n")
    folder, _, file_name = key_of(reference).rpartition("/datasets/")
    assert folder
    assert file_name.startswith("etc_passwd-")


@pytest.mark.parametrize("name", ["", " ", "\0", "\ud800", "n" * 5_000, "two\nlines"], ids=ascii)
def test_any_name_is_made_one_that_the_service_takes(node: OpenNode, name: str) -> None:
    assert references.load(references.save([1], node(), name=name), node()) == [1]


def test_the_same_value_saved_twice_is_one_artifact(node: OpenNode) -> None:
    store = node()
    assert references.save({"n": 1}, store) == references.save({"n": 1}, store)
    assert len(list(workspace_of(store).list_artifacts())) == 1


def test_a_reference_of_another_run_is_refused_without_telling_whether_it_exists(node: OpenNode) -> None:
    reference = references.save({"n": 1}, node(run_id="run-1"))
    with pytest.raises(UnreachableReferenceError, match="This session reaches no artifact") as caught:
        references.load(reference, node(run_id="run-2"))
    assert caught.value.code == "not_found"


def test_a_reference_of_another_owner_is_refused_the_same_way(node: OpenNode) -> None:
    reference = references.save({"n": 1}, node())
    with pytest.raises(UnreachableReferenceError):
        references.load(reference, node(owner="other"))


def test_an_id_that_never_was_is_refused_the_same_way(node: OpenNode) -> None:
    reference = references.save({"n": 1}, node())
    known = artifact_id(reference)
    reference["$dataset"]["place"] = {"artifact": {"artifact_id": known[:-1] + ("3" if known.endswith("2") else "2")}}
    with pytest.raises(UnreachableReferenceError):
        references.load(reference, node())


def test_a_deleted_file_has_a_code_of_its_own(node: OpenNode, cloud: MotoCloud) -> None:
    reference = references.save({"n": 1}, node())
    versions = cloud.s3.list_object_versions(Bucket=cloud.bucket, Prefix=key_of(reference))["Versions"]
    for each in versions:
        cloud.s3.delete_object(Bucket=cloud.bucket, Key=each["Key"], VersionId=each["VersionId"])
    with pytest.raises(MissingReferenceError) as caught:
        references.load(reference, node())
    assert caught.value.code == "file_missing"


def test_a_key_written_again_leaves_the_reference_at_what_was_saved(node: OpenNode, cloud: MotoCloud) -> None:
    reference = references.save({"n": 1}, node())
    cloud.s3.put_object(Bucket=cloud.bucket, Key=key_of(reference), Body=b'{"n":2}')
    assert references.load(reference, node()) == {"n": 1}


def test_a_reference_with_the_hash_of_other_bytes_is_refused(node: OpenNode) -> None:
    reference = references.save({"n": 1}, node())
    reference["$dataset"]["sha256"] = "0" * 64
    with pytest.raises(ChangedReferenceError) as caught:
        references.load(reference, node())
    assert caught.value.code == "file_changed"


def test_a_reference_that_lies_about_its_size_is_refused_before_a_byte_is_fetched(
    node: OpenNode, cloud: MotoCloud
) -> None:
    reference = references.save({"text": "x" * 10_000}, node())
    reference["$dataset"]["bytes"] = 10
    reader = node()
    with pytest.raises(ChangedReferenceError):
        references.load(reference, reader)
    assert not list(workspace_of(reader).directory.iterdir())


@pytest.mark.parametrize(
    "place",
    [
        {"artifact": {"artifact_id": "../../x"}},
        {"artifact": {"artifact_id": "https://example.com/x"}},
        {"artifact": {"key": "acme/x"}},
        {"artifact": "art"},
    ],
    ids=["path", "url", "key-alone", "text"],
)
def test_a_place_that_names_no_artifact_is_refused(node: OpenNode, cloud: MotoCloud, place: Any) -> None:
    reference = references.save({"n": 1}, node())
    reader = node()
    reference["$dataset"]["place"] = place
    with cloud.failing_when_asked(), pytest.raises(MalformedReferenceError):
        references.load(reference, reader)


def test_a_key_of_another_bucket_or_workspace_beside_the_id_is_refused(node: OpenNode) -> None:
    reference = references.save({"n": 1}, node())
    reference["$dataset"]["place"]["artifact"]["key"] = "other/conversations/chat/datasets/x.json"
    with pytest.raises(MalformedReferenceError, match="disagree"):
        references.load(reference, node())


def test_a_reference_of_a_folder_is_refused_by_a_workspace(node: OpenNode, tmp_path: Path) -> None:
    reference = references.save({"n": 1}, references.FolderStore(tmp_path / "folder"))
    with pytest.raises(WrongStoreError):
        references.load(reference, node())


def test_one_reference_that_occurs_twice_is_fetched_once(node: OpenNode, cloud: MotoCloud, tmp_path: Path) -> None:
    reference = references.save(FRAME, node())
    reader = node()
    calls: list[str] = []
    counted = InProcessTransport(lambda verb, body: (calls.append(verb), cloud.call(verb, body))[1])
    reader = WorkspaceStore(Workspace(workspace_of(reader).token, counted, tmp_path))
    one, two = references.hydrate([reference, reference], reader)
    assert one is two
    assert calls == ["load_artifact"]


def test_a_budget_that_the_references_exceed_is_refused_before_the_service_is_asked(
    node: OpenNode, cloud: MotoCloud
) -> None:
    saved = [references.save({"text": text * 1_000}, node()) for text in "ab"]
    reader = node()
    with cloud.failing_when_asked(), pytest.raises(HydrateBudgetError) as caught:
        references.hydrate(saved, reader, max_bytes=1_500)
    assert "read_rows" in caught.value.advice


def test_nothing_is_left_in_the_working_directory(node: OpenNode) -> None:
    reader = node()
    references.load(references.save(FRAME, node()), reader)
    assert not list(workspace_of(reader).directory.iterdir())


def test_a_load_may_begin_and_end_between_any_two_steps_of_another(
    node: OpenNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As threads that share a store do. The other load runs whenever this one has made a folder, and before it ends."""
    references_of_two = [references.save({"n": n}, node()) for n in (1, 2)]
    reader = node()
    made: list[str] = []
    make, remove = os.mkdir, shutil.rmtree

    def between() -> None:
        with monkeypatch.context() as inside:
            inside.setattr(os, "mkdir", make)
            inside.setattr(shutil, "rmtree", remove)
            assert references.load(references_of_two[1], reader) == {"n": 2}

    def making(path: Any, *arguments: Any, **named: Any) -> None:
        make(path, *arguments, **named)
        if workspace_of(reader).directory in Path(path).parents:
            made.append(Path(path).name)
            between()

    def removing(path: Any, *arguments: Any, **named: Any) -> None:
        between()
        remove(path, *arguments, **named)

    monkeypatch.setattr(os, "mkdir", making)
    monkeypatch.setattr(shutil, "rmtree", removing)
    assert references.load(references_of_two[0], reader) == {"n": 1}
    assert made
    assert not list(workspace_of(reader).directory.iterdir())


def test_a_decorated_node_hands_its_output_to_the_next(node: OpenNode) -> None:
    @references.node(node)
    def produce(state: dict[str, Any]) -> dict[str, Any]:
        return {"orders": FRAME, "asked": state["question"]}

    @references.node(node)
    def consume(state: dict[str, Any]) -> int:
        return int(state["orders"]["n"].sum())

    between = produce({"question": "how many?"})
    assert references.is_reference(between["orders"])
    assert consume(between) == 3


def test_bytes_of_a_caller_are_kept_and_brought_back(node: OpenNode) -> None:
    reference = references.save_bytes(b"\x00payload", node(), name="payload")
    assert references.load_bytes(reference, node()) == b"\x00payload"


def test_a_nested_value_is_stored_although_it_is_no_table(node: OpenNode) -> None:
    value: Any = "x"
    for _ in range(90):
        value = [value]
    assert references.load(references.save(value, node()), node()) == value


def test_a_workspace_itself_is_taken_for_its_store(node: OpenNode) -> None:
    workspace = workspace_of(node())

    @references.node(workspace)
    def doubled(frame: Any) -> Any:
        return frame * 2

    output = doubled(references.save(pd.DataFrame({"a": [1, 2]}), workspace))
    assert references.hydrate(output, workspace)["a"].tolist() == [2, 4]
    assert references.load_bytes(references.save_bytes(b"x", workspace), workspace) == b"x"
    assert references.load(references.node(lambda: workspace)(doubled)(output), node())["a"].tolist() == [4, 8]
