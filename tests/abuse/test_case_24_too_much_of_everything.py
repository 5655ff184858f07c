"""A label of a megabyte, 5,000 or 103,630 columns, hints for all of them, a load larger than the disk.

What a record would hold is bounded, or moved beside the file by rule, before DynamoDB could refuse it at 400 KB. What
is refused is refused in few words. Sizes and free space are looked at before a byte moves.
"""

from __future__ import annotations

import json
import resource
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from session_datasets.client.errors import NotEnoughSpaceError
from session_datasets.client.workspace import Workspace
from session_datasets.domain.limits import (
    DESCRIPTION_CHARACTERS_MAX,
    KIB,
    LINEAGE_MAX,
    MIB,
    NAME_CHARACTERS_MAX,
    REQUEST_TOKEN_CHARACTERS_MAX,
    UPLOAD_BYTES_MAX,
)
from tests.support.contents import Item, items
from tests.support.deployed_cloud import DeployedCloud
from tests.support.moto_cloud import MotoCloud
from tests.support.sessions import Answer, Session, problem_code

ITEM_BYTES_MAX = 400 * KIB
BODY = b"a\n1\n"


def item_bytes(value: Any) -> int:
    """As DynamoDB counts: the UTF-8 of names and values, and three bytes a map."""
    if isinstance(value, dict):
        return 3 + sum(len(name.encode()) + 1 + item_bytes(each) for name, each in value.items())
    return len(str(value).encode())


def largest(cloud: MotoCloud) -> int:
    return max(item_bytes(item) for item in items(cloud))


HUGE: dict[str, Any] = {
    "name": "n" * 1_000_000,
    "description": "d" * 1_000_000,
    "request_token": "t" * 1_000_000,
    "version_id": "v" * 1_000_000,
    "lineage": ["art_01jg00000000000000000000zz"] * 100_000,
    "kind": "k" * 1_000_000,
    "sha256": "0" * 1_000_000,
    "hints": {"nulls": ["x" * 1_000_000]},
}


@pytest.mark.parametrize("field", HUGE)
def test_a_megabyte_of_any_field_is_refused_in_few_words_before_a_store_is_asked(
    cloud: MotoCloud, node: Session, field: str
) -> None:
    key = node.put("a.csv", BODY)
    with cloud.failing_when_asked():
        refused = node.call("register_artifact", **{"key": key, "name": "n", field: HUGE[field]})
    assert problem_code(refused) == "invalid-request"
    assert refused["problem"]["detail"].startswith(field)
    assert len(json.dumps(refused)) < 2_000


@pytest.mark.parametrize("verb", ["describe_artifact", "load_artifact", "read_rows", "read_columns"])
@pytest.mark.parametrize("field", ["artifact_id", "session_id", "key", "version_id"])
def test_a_megabyte_in_a_reference_is_refused_in_few_words(node: Session, verb: str, field: str) -> None:
    reference = {**node.register("a.csv", BODY)["reference"], field: "x" * 1_000_000}
    refused = node.call(verb, reference=reference, **({"columns": ["a"]} if verb == "read_columns" else {}))
    assert problem_code(refused) in ("invalid-request", "reference-mismatch", "not-found")
    assert len(json.dumps(refused)) < 2_000


def test_a_token_of_a_megabyte_is_no_token(cloud: MotoCloud) -> None:
    with cloud.failing_when_asked():
        assert problem_code(cloud.call("list_artifacts", {"token": "x" * 1_000_000})) == "token-invalid"


@pytest.mark.parametrize("size", [-1, UPLOAD_BYTES_MAX + 1, 2**63, 10**30])
def test_a_size_that_no_upload_has_is_refused_with_the_bound(node: Session, size: int) -> None:
    refused = node.call("prepare_upload", file_name="a.csv", size=size, sha256="0" * 64)
    assert problem_code(refused) == "invalid-request"
    assert refused["problem"]["advice"] == f"size takes 0 to {UPLOAD_BYTES_MAX:,}."


# --- columns -------------------------------------------------------------------------------------------------


def wide(columns: int, name: str = "column_{}") -> bytes:
    names = ",".join(name.format(number) for number in range(columns))
    return f"{names}\n{','.join(['1'] * columns)}\n".encode()


def test_thousands_of_columns_lie_beside_the_file_and_come_back_whole(cloud: MotoCloud, node: Session) -> None:
    columns = 5_000
    answer = node.register("a.csv", wide(columns))
    assert largest(cloud) < 150 * KIB
    assert len(json.dumps(answer)) < 60_000
    told = answer["profile"]
    assert len(told["columns"]) + told["columns_omitted"] == told["shape"]["columns"] == columns
    described = node.call("describe_artifact", reference=answer["reference"])["profile"]
    names = [column["name"] for column in described["columns"]]
    assert names == [f"column_{number}" for number in range(len(names))]
    assert len(names) + described.get("columns_omitted", 0) == columns
    last = node.call("read_rows", reference=answer["reference"], columns=[f"column_{columns - 1}"])
    assert last["rows"] == [[1]]


def test_103630_columns_are_kept_and_told(cloud: MotoCloud, node: Session) -> None:
    body = wide(103_630, "c{}")
    answer = node.register("a.csv", body)
    assert (answer["status"], answer["format"], "profile" in answer) == ("ready", "other", False)
    assert "103,630 columns, more than the 10,000 that can be paged" in answer["note"]
    assert largest(cloud) < 20 * KIB
    assert node.call("load_artifact", reference=answer["reference"])["size"] == len(body)


def test_a_record_with_the_most_of_everything_fits(cloud: MotoCloud, node: Session) -> None:
    source = node.register("source.csv", BODY)["artifact_id"]
    names = [f"{'ü' * 40}{number}" for number in range(900)]
    body = (",".join(names) + "\n" + ",".join(["1"] * 900) + "\n").encode()
    answer = node.register(
        "x" * 250 + ".csv",
        body,
        name="😀" * NAME_CHARACTERS_MAX,
        description="😀" * DESCRIPTION_CHARACTERS_MAX,
        lineage=[source] * LINEAGE_MAX,
        request_token="😀" * REQUEST_TOKEN_CHARACTERS_MAX,
        hints={"types": dict.fromkeys(names[:400], "decimal(38,10)"), "nulls": ["😀" * 40] * 20},
    )
    assert answer["status"] == "ready"
    assert largest(cloud) < ITEM_BYTES_MAX
    described = node.call("describe_artifact", reference=answer["reference"])
    assert described["description"] == "😀" * DESCRIPTION_CHARACTERS_MAX


@pytest.mark.parametrize(("characters", "columns"), [(100, 9_000), (4_000, 250), (1_000_000, 1)])
def test_hints_that_no_record_could_hold_are_refused_before_a_store_is_asked(
    cloud: MotoCloud, node: Session, characters: int, columns: int
) -> None:
    key = node.put("a.csv", BODY)
    types = {f"{'x' * characters}{number}": "int64" for number in range(columns)}
    with cloud.failing_when_asked():
        refused = node.call("register_artifact", key=key, name="n", hints={"types": types})
    assert problem_code(refused) == "invalid-request"
    assert "name fewer columns" in refused["problem"]["detail"]
    assert len(json.dumps(refused)) < 2_000


def test_the_most_hints_that_are_taken_are_kept(cloud: MotoCloud, node: Session) -> None:
    names = [f"{'x' * 90}{number:04}" for number in range(1_200)]
    body = (",".join(names) + "\n" + ",".join(["1"] * 1_200) + "\n").encode()
    types = dict.fromkeys(names, "string")
    answer = node.register("a.csv", body, hints={"types": types}, request_token="t-1")
    assert answer["profile"]["columns"][0]["type"] == "string"
    assert 100 * KIB < largest(cloud) < ITEM_BYTES_MAX
    assert node.register("b.csv", body, hints={"types": types}, name="again")["status"] == "ready"


def test_a_listing_of_a_hundred_of_the_largest_summaries_is_one_answer(node: Session) -> None:
    key = node.put("a.csv", BODY)
    for number in range(100):
        label = f"{number:03}" + "😀" * (NAME_CHARACTERS_MAX - 3)
        node.call("register_artifact", key=key, name=label, description="😀" * DESCRIPTION_CHARACTERS_MAX)
    listing = node.call("list_artifacts", limit=100)
    assert len(listing["artifacts"]) == 100
    # As the most wasteful encoder spells it: twelve bytes an emoji.
    assert len(json.dumps(listing)) < 3 * MIB


# --- disks ---------------------------------------------------------------------------------------------------


@pytest.fixture
def loading(cloud: MotoCloud, node: Session, tmp_path: Path) -> tuple[Workspace, Answer]:
    """A workspace, and a file of four megabytes to load into it."""
    reference = node.register("noise.bin", bytes(range(256)) * (4 * MIB // 256))["reference"]
    return Workspace(node.token, cloud.transport(), tmp_path), reference


def test_a_load_larger_than_the_disk_is_refused_before_a_byte_comes(
    loading: tuple[Workspace, Answer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, reference = loading
    usage = shutil.disk_usage(tmp_path)._replace(free=4 * MIB - 1)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    told: list[int] = []
    with pytest.raises(NotEnoughSpaceError, match="4,194,304 bytes"):
        workspace.load_artifact(reference, progress=lambda done, _: told.append(done))
    assert max(told, default=0) == 0
    assert [path.stat().st_size for path in tmp_path.iterdir()] in ([], [0])


@contextmanager
def a_disk_of(size: int) -> Iterator[None]:
    """No file of this process may grow beyond."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_disk_that_fills_up_meanwhile_leaves_no_file_of_the_name_and_the_load_goes_on_later(
    loading: tuple[Workspace, Answer], tmp_path: Path
) -> None:
    workspace, reference = loading
    with a_disk_of(1 * MIB), pytest.raises(OSError, match="File too large"):
        workspace.load_artifact(reference)
    assert [path.suffix for path in tmp_path.iterdir()] == [".part"]
    path = workspace.load_artifact(reference)
    assert (path.stat().st_size, [each.name for each in tmp_path.iterdir()]) == (4 * MIB, ["noise.bin"])


def test_deployed_functions_keep_thousands_of_columns_beside_the_record(
    deployed: DeployedCloud, node_there: Session
) -> None:
    answer = node_there.register("a.csv", wide(5_000), description="😀" * DESCRIPTION_CHARACTERS_MAX)
    assert answer["profile"]["columns_omitted"] > 0
    records: list[Item] = [item for item in items(deployed, "art_") if answer["artifact_id"] in str(item)]
    assert max(item_bytes(item) for item in records) < ITEM_BYTES_MAX
    described = node_there.call("describe_artifact", reference=answer["reference"])
    assert len(described["profile"]["columns"]) + described["profile"].get("columns_omitted", 0) == 5_000
