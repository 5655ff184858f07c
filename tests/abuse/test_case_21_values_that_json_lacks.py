"""NaN, infinities, integers beyond 2^53, decimals, times with zones, binary, nested values.

Every answer is JSON that any parser takes, by a written encoding; statistics come out of the record as they were
measured; and the SDK makes of the cells the very values that were registered. One round trip for each type.
"""

from __future__ import annotations

import json
import math
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from session_datasets.client.tables import of_page
from session_datasets.client.workspace import Workspace
from tests.support.deployed_cloud import DeployedCloud
from tests.support.moto_cloud import MotoCloud
from tests.support.odd_files import parquet
from tests.support.sessions import Answer, Session

NAN = math.nan
BERLIN = pa.timestamp("us", "Europe/Berlin")
PAIR = pa.struct({"a": pa.float64(), "b": pa.binary()})
TYPED: dict[str, pa.Array] = {
    "bool": pa.array([True, None, False]),
    "int8": pa.array([-128, None, 127], pa.int8()),
    "int64": pa.array([-(2**63), None, 2**63 - 1], pa.int64()),
    "int64 at 2^53": pa.array([2**53, None, 2**53 + 1], pa.int64()),
    "uint64": pa.array([0, None, 2**64 - 1], pa.uint64()),
    "half float": pa.array([0.5, None, -65504.0], pa.float16()),
    "float": pa.array([0.1, None, 3.4028234663852886e38], pa.float32()),
    "double": pa.array([0.1, None, 1.7976931348623157e308]),
    "double, subnormal": pa.array([5e-324, None, -0.0]),
    "NaN and infinities": pa.array([NAN, math.inf, -math.inf]),
    "NaN and null": pa.array([NAN, None, 1.0]),
    "decimal128": pa.array([Decimal("-99999999999999999999999999999999999.999"), None, Decimal("0.001")]),
    "decimal256": pa.array([Decimal(10**70), None, Decimal(-1)], pa.decimal256(76, 0)),
    "string": pa.array(["", None, "ü漢😀"]),
    "string with controls": pa.array(["\0\x1b[2J", "\u2028\u202e", '"\\</script>']),
    "string like a number": pa.array(["NaN", "1e5", "null"]),
    "large string": pa.array(["x", None, "y"], pa.large_string()),
    "binary": pa.array([b"", None, bytes(range(256))]),
    "fixed binary": pa.array([b"ab", None, b"\xff\0"], pa.binary(2)),
    "date": pa.array([date(1, 1, 1), None, date(9999, 12, 31)]),
    "time": pa.array([time(0, 0), None, time(23, 59, 59, 999999)]),
    "timestamp": pa.array([datetime(1970, 1, 1), None, datetime(2262, 4, 11, 23, 47, 16)], pa.timestamp("us")),
    "timestamp, nanoseconds": pa.array([1, None, 2**62], pa.timestamp("ns")),
    "timestamp with a zone": pa.array([datetime(2026, 3, 29, 1, 59, 59, tzinfo=UTC), None], BERLIN),
    "duration": pa.array([timedelta(microseconds=1), None, timedelta(days=-1)], pa.duration("us")),
    "list": pa.array([[1, None, 2**60], None, []], pa.list_(pa.int64())),
    "struct": pa.array([{"a": NAN, "b": b"\xff"}, None, {"a": None, "b": None}], PAIR),
    "map": pa.array([[("k", Decimal("1.50"))], None, []], pa.map_(pa.string(), pa.decimal128(5, 2))),
    "list of structs": pa.array([[{"t": datetime(2026, 1, 1)}], None], pa.list_(pa.struct({"t": pa.timestamp("us")}))),
    "null": pa.array([None, None]),
    "dictionary": pa.array(["x", None, "x"]).dictionary_encode(),
}  # fmt: skip
each_type = pytest.mark.parametrize("name", TYPED)


def plain(array: pa.Array) -> pa.Array:
    """As the service keeps it: a dictionary's values by themselves."""
    return array.dictionary_decode() if pa.types.is_dictionary(array.type) else array


def same(one: pa.Array, other: pa.Array) -> bool:
    """Value for value: NaN is NaN, and nothing but itself is -0.0."""
    return bool(one.type == other.type) and repr(one.to_pylist()) == repr(other.to_pylist())


def strict(answer: Answer) -> Answer:
    """The answer as any parser of JSON would have it."""

    def refuse(constant: str) -> Any:
        raise AssertionError(f"{constant} is no JSON")

    parsed: Answer = json.loads(json.dumps(answer, allow_nan=False), parse_constant=refuse)
    assert parsed == answer
    return parsed


@each_type
def test_every_answer_is_valid_json(node: Session, name: str) -> None:
    registered = strict(node.register("a.parquet", parquet({"v": TYPED[name]})))
    reference = registered["reference"]
    page = strict(node.call("read_rows", reference=reference))
    assert len(page["rows"]) == len(TYPED[name])
    strict(node.call("describe_artifact", reference=reference))
    strict(node.call("list_artifacts"))
    strict(node.call("read_columns", reference=reference, columns=["v"]))


@each_type
@pytest.mark.parametrize("form", ["json", "arrow"])
def test_the_sdk_makes_the_registered_values_of_a_page(
    cloud: MotoCloud, node: Session, name: str, form: str, tmp_path: Path
) -> None:
    reference = node.register("a.parquet", parquet({"v": TYPED[name]}))["reference"]
    page = Workspace(node.token, cloud.transport(), tmp_path).read_rows(reference, format=form)
    assert same(of_page(page).column("v").combine_chunks(), plain(TYPED[name]))


@each_type
def test_statistics_come_out_of_the_record_as_they_were_measured(cloud: MotoCloud, node: Session, name: str) -> None:
    registered = node.register("a.parquet", parquet({"v": TYPED[name]}))
    cloud.restart()
    described = node.call("describe_artifact", reference=registered["reference"])
    known = described["profile"]["statistics"][0]
    assert known["nulls"] == TYPED[name].null_count
    told = registered["profile"]["statistics"][0]
    assert {key: known[key] for key in told} == told
    assert described["profile"]["preview"] == registered["profile"]["preview"]


def test_statistics_hold_what_json_numbers_can_not(node: Session) -> None:
    body = parquet({"big": TYPED["uint64"], "exact": TYPED["decimal128"], "odd": TYPED["NaN and infinities"]})
    reference = node.register("a.parquet", body)["reference"]
    big, exact, odd = node.call("describe_artifact", reference=reference)["profile"]["statistics"]
    assert (big["min"], big["max"]) == ("0", "18446744073709551615")
    assert exact["min"] == "-99999999999999999999999999999999999.999"
    assert (odd["nans"], odd["min"], odd["max"]) == (1, "-Infinity", "Infinity")


def test_through_deployed_functions_and_their_table_every_type_comes_back(
    deployed: DeployedCloud, node_there: Session, tmp_path: Path
) -> None:
    """All at once, three rows each."""
    columns = {
        name: pa.concat_arrays([plain(array), pa.nulls(3 - len(array), plain(array).type)])
        for name, array in TYPED.items()
    }
    registered = strict(node_there.register("a.parquet", parquet(columns)))
    workspace = deployed.open(tmp_path, run_id="values")
    table = workspace.to_arrow(workspace.register_artifact(pa.table(columns), name="values").reference)
    for name, array in columns.items():
        assert same(table.column(name).combine_chunks(), array), name
    described = strict(node_there.call("describe_artifact", reference=registered["reference"]))
    nulls = {column["name"]: known["nulls"] for column, known in _known(described)}
    assert nulls == {name: array.null_count for name, array in columns.items()}


def _known(described: Answer) -> Any:
    return zip(described["profile"]["columns"], described["profile"]["statistics"], strict=True)
