"""What comes back, and what is refused before it is read or believed."""

from __future__ import annotations

import copy
import os
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from session_datasets.boundary import references
from session_datasets.boundary.references import FolderStore
from session_datasets.boundary.references.errors import (
    ChangedReferenceError,
    MalformedReferenceError,
    MissingReferenceError,
    OutsideReferenceError,
    UnreadableReferenceError,
    WrongStoreError,
)
from session_datasets.boundary.typed_json import TooDeepError, UnknownTypeError
from tests.unit.boundary.references.files import file_of, forged

FRAME = pd.DataFrame({"a": [1, 2]})


# --- unchanged ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [1, "x", None, {"a": 1}, [1], (1,), b"x", float("nan")], ids=repr)
def test_load_answers_what_is_no_reference_unchanged(value: Any, store: FolderStore) -> None:
    assert references.load(value, store) is value


def test_other_values_between_references_stay_the_same_objects(store: FolderStore) -> None:
    handle, pair = object(), (1, 2)
    value = {"f": references.save(FRAME, store), "handle": handle, "pair": pair, "nan": float("nan")}
    hydrated = references.hydrate(value, store)
    assert hydrated["handle"] is handle
    assert hydrated["pair"] is pair


@pytest.mark.parametrize(
    "raw", [{"$dataset": "mine"}, {"$type": "microsoft.x", "a": 1}, {"$dataset": [1], "b": 2}], ids=str
)
def test_data_that_was_never_externalized_stays_as_it_is(raw: Any, store: FolderStore) -> None:
    assert references.hydrate({"raw": raw}, store) == {"raw": raw}


def test_references_are_found_through_dicts_and_lists(store: FolderStore) -> None:
    one, two = references.save([1], store), references.save([2], store)
    assert references.hydrate({"a": [{"b": one}], "c": two}, store) == {"a": [{"b": [1]}], "c": [2]}


def test_a_frameworks_own_dict_is_a_plain_one_where_a_reference_lies_in_it(store: FolderStore) -> None:
    with_one, without = OrderedDict(a=references.save([1], store)), OrderedDict(a=1)
    hydrated = references.hydrate({"with": with_one, "without": without}, store)
    assert (type(hydrated["with"]), hydrated["with"]) == (dict, {"a": [1]})
    assert hydrated["without"] is without


def test_the_input_is_not_changed(store: FolderStore) -> None:
    value = references.externalize({"a": [FRAME], "n": 1}, store)
    before = copy.deepcopy(value)
    references.hydrate(value, store)
    assert value == before


def test_a_cycle_of_dicts_is_refused(store: FolderStore) -> None:
    value: dict[str, Any] = {"r": references.save(1, store)}
    value["me"] = value
    with pytest.raises(TooDeepError):
        references.hydrate(value, store)


def test_what_occurs_twice_is_loaded_once(store: FolderStore) -> None:
    reference = references.save(FRAME, store)
    one, two = references.hydrate([reference, copy.deepcopy(reference)], store)
    assert one is two


# --- places ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "key",
    [
        "../secret",
        "..",
        ".",
        "",
        "a/../../secret",
        "/etc/passwd",
        "C:\\secret",
        "a\\b",
        "s3://other/secret",
        "https://example.com/x",
        "file:///etc/passwd",
        "x\0y",
        ".part-x",
        "x" * 300,
        7,
        None,
        ["a"],
    ],
    ids=repr,
)
def test_a_key_that_leads_out_of_the_folder_is_refused_before_any_read(
    key: Any, store: FolderStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder.parent / "secret").write_bytes(b"1")
    reference = references.save(1, store)
    reference["$dataset"]["place"] = {"key": key}
    monkeypatch.setattr(os, "open", lambda *_, **__: pytest.fail("a file was opened"))
    with pytest.raises(OutsideReferenceError) as caught:
        references.load(reference, store)
    assert caught.value.code == "outside_store"


@pytest.mark.parametrize(
    "place", [{"artifact": {"artifact_id": "x"}}, {"key": "a", "bucket": "b"}, {"url": "x"}], ids=str
)
def test_a_place_of_another_store_is_refused(place: Any, store: FolderStore) -> None:
    reference = references.save(1, store)
    reference["$dataset"]["place"] = place
    with pytest.raises(WrongStoreError) as caught:
        references.load(reference, store)
    assert caught.value.code == "wrong_store"


def test_a_link_in_the_folder_is_not_followed(store: FolderStore, folder: Path, tmp_path: Path) -> None:
    reference = references.save(1, store)
    (tmp_path / "secret").write_bytes(b"1")
    file_of(reference, folder).unlink()
    file_of(reference, folder).symlink_to(tmp_path / "secret")
    with pytest.raises(OutsideReferenceError):
        references.load(reference, store)


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo], ids=["folder", "pipe"])
def test_what_is_no_plain_file_is_refused(make: Any, store: FolderStore, folder: Path) -> None:
    reference = references.save(1, store)
    file_of(reference, folder).unlink()
    make(file_of(reference, folder))
    with pytest.raises(OutsideReferenceError):
        references.load(reference, store)


# --- files ----------------------------------------------------------------------------------------------------


def test_a_deleted_file_is_named(store: FolderStore, folder: Path) -> None:
    reference = references.save(1, store, name="answer")
    file_of(reference, folder).unlink()
    with pytest.raises(MissingReferenceError, match="answer-") as caught:
        references.load(reference, store)
    assert caught.value.code == "file_missing"


@pytest.mark.parametrize("data", [b"2", b"22"], ids=["same-size", "other-size"])
def test_a_changed_file_is_refused(data: bytes, store: FolderStore, folder: Path) -> None:
    reference = references.save(1, store)
    file_of(reference, folder).write_bytes(data)
    with pytest.raises(ChangedReferenceError) as caught:
        references.load(reference, store)
    assert caught.value.code == "file_changed"


@pytest.mark.parametrize("value", [FRAME, np.zeros(3)], ids=["frame", "array"])
def test_a_changed_frame_or_array_is_refused_before_it_is_parsed(value: Any, store: FolderStore, folder: Path) -> None:
    reference = references.save(value, store)
    size = reference["$dataset"]["bytes"]
    file_of(reference, folder).write_bytes(b"\0" * size)
    with pytest.raises(ChangedReferenceError):
        references.load(reference, store)


@pytest.mark.parametrize("value", [FRAME, np.zeros(3), [1]], ids=["frame", "array", "list"])
def test_bytes_that_are_no_such_file_are_refused(value: Any, store: FolderStore, folder: Path) -> None:
    with pytest.raises(UnreadableReferenceError) as caught:
        references.load(forged(references.save(value, store), b"garbage", folder), store)
    assert caught.value.code == "unreadable_reference"


def test_a_table_that_no_frame_was_made_to_is_refused(store: FolderStore, folder: Path, tmp_path: Path) -> None:
    parquet.write_table(pa.table({"a": [1]}), tmp_path / "plain.parquet")
    reference = forged(references.save(FRAME, store), (tmp_path / "plain.parquet").read_bytes(), folder)
    with pytest.raises(UnreadableReferenceError, match="does not say which frame"):
        references.load(reference, store)


def test_a_kind_of_frame_that_is_unknown_here_is_refused(store: FolderStore) -> None:
    reference = references.save(FRAME, store)
    reference["$dataset"]["value"] = "os.system"
    with pytest.raises(UnreadableReferenceError, match=r"makes no 'os\.system'"):
        references.load(reference, store)


def test_a_type_inside_the_file_that_is_not_registered_is_refused(store: FolderStore, folder: Path) -> None:
    data = b'{"$type":"foreign/1","value":1}'
    with pytest.raises(UnreadableReferenceError, match="'foreign' is not registered") as caught:
        references.load(forged(references.save(1, store), data, folder), store)
    assert isinstance(caught.value.__cause__, UnknownTypeError)


# --- forms ----------------------------------------------------------------------------------------------------


def test_a_reference_of_a_later_version_is_refused_with_its_version(store: FolderStore) -> None:
    reference = references.save(1, store)
    reference["$dataset"]["v"] = 2
    with pytest.raises(MalformedReferenceError, match="has version 2, this process knows up to 1"):
        references.hydrate([reference], store)


def test_a_broken_reference_is_refused(store: FolderStore) -> None:
    reference = references.save(1, store)
    del reference["$dataset"]["sha256"]
    with pytest.raises(MalformedReferenceError) as caught:
        references.hydrate({"a": reference}, store)
    assert caught.value.code == "malformed_reference"


def test_fields_that_a_later_writer_adds_are_passed_over(store: FolderStore) -> None:
    reference = references.save([1], store)
    reference["$dataset"]["later"] = True
    assert references.load(reference, store) == [1]


def test_bytes_without_content_need_no_file(store: FolderStore, folder: Path) -> None:
    reference = references.save_bytes(b"", store)
    assert (references.load_bytes(reference, store), references.load(reference, store)) == (b"", b"")
    assert not list(folder.iterdir())


def test_bytes_come_back(store: FolderStore) -> None:
    reference = references.save_bytes(b"\0\xff", store, name="payload")
    assert references.load_bytes(reference, store) == references.load(reference, store) == b"\0\xff"


def test_changed_bytes_are_refused(store: FolderStore, folder: Path) -> None:
    reference = references.save_bytes(b"ab", store)
    file_of(reference, folder).write_bytes(b"cd")
    with pytest.raises(ChangedReferenceError):
        references.load_bytes(reference, store)


def test_a_save_that_fails_leaves_no_part_in_the_folder(
    store: FolderStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space"):
        references.save([1], store)
    assert not list(folder.iterdir())


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o007])
def test_a_file_of_a_folder_is_as_readable_as_the_umask_says(umask: int, store: FolderStore, folder: Path) -> None:
    before = os.umask(umask)
    try:
        reference = references.save([1], store)
    finally:
        os.umask(before)
    mode = (folder / reference["$dataset"]["place"]["key"]).stat().st_mode
    assert mode & 0o777 == 0o666 & ~umask
