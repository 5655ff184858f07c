"""What ends, and leases, cost in requests."""

from __future__ import annotations

import pytest

from session_datasets.domain.names import PARTITION_KEY, SORT_KEY
from tests.contract.ending.ends import BODY, end_run, removed
from tests.support.moto_cloud import MotoCloud
from tests.support.sessions import Opened


def test_what_an_end_asks_for_grows_with_sessions_and_with_pages(cloud: MotoCloud, opened: Opened) -> None:
    """Three sessions of thirty records each, and one object of either kind."""
    for session in [opened(run_id="run-1") for _ in range(3)]:
        partition = {PARTITION_KEY: {"S": f"acme#{session.session_id}"}}
        records = [{**partition, SORT_KEY: {"S": f"art_{n:026}"}} for n in range(30)]
        for first in (0, 15):
            puts = [{"PutRequest": {"Item": record}} for record in records[first : first + 15]]
            cloud.dynamodb.batch_write_item(RequestItems={cloud.table: puts})
    for prefix in ("", "_derived/"):
        cloud.s3.put_object(Bucket=cloud.bucket, Key=f"{prefix}acme/runs/run-1/ses/a", Body=b"a")
    with cloud.counted_requests() as counts:
        assert removed(end_run(cloud))["artifacts"] == 90
    assert counts == {
        "dynamodb.GetItem": 1,
        # The leases, before the mark and after it; each session; the index.
        "dynamodb.Query": 2 + 3 + 1,
        # The mark, and the counts beside it.
        "dynamodb.UpdateItem": 2,
        # Sessions shut out, records by 25, leases.
        "dynamodb.BatchWriteItem": 1 + 4 + 1,
        "s3.ListMultipartUploads": 2,
        "s3.ListObjectVersions": 2,
        "s3.DeleteObjects": 2,
    }
    with cloud.counted_requests() as again:
        assert removed(end_run(cloud)) == {}
    assert again == {
        "dynamodb.GetItem": 1,
        "dynamodb.Query": 2,
        "s3.ListMultipartUploads": 2,
        "s3.ListObjectVersions": 2,
    }


@pytest.mark.parametrize(("scope", "writes"), [({"run_id": "r"}, 1), ({"run_id": "r", "conversation_id": "c"}, 2)])
def test_opening_a_session_writes_a_lease_and_a_count_for_each(
    cloud: MotoCloud, scope: dict[str, str], writes: int
) -> None:
    with cloud.counted_requests() as counts:
        cloud.call("open_session", {"owner": "acme", **scope})
    assert counts == {"dynamodb.PutItem": writes, "dynamodb.UpdateItem": writes}


def test_a_registration_looks_for_the_end_once_and_writes_once(cloud: MotoCloud, opened: Opened) -> None:
    session = opened(run_id="run-1")
    key = session.put("a.csv", BODY)
    with cloud.counted_requests() as counts:
        session.call("register_artifact", key=key, name="a")
    # Whether it ended, whether the record is there; then the record and the condition in one transaction.
    assert (counts["dynamodb.GetItem"], counts["dynamodb.TransactWriteItems"], counts["dynamodb.PutItem"]) == (2, 1, 0)


def test_a_download_is_noted_on_condition_and_looks_for_nothing_more(cloud: MotoCloud, opened: Opened) -> None:
    session = opened(run_id="run-1")
    reference = session.register(body=BODY)["reference"]
    cloud.restart()
    with cloud.counted_requests() as counts:
        session.call("load_artifact", reference=reference)
    assert (counts["dynamodb.GetItem"], counts["dynamodb.TransactWriteItems"]) == (1, 1)
