"""The costs in docs/operating.md are computed from what calls really ask of the stores and write to their logs."""

from __future__ import annotations

import hashlib
import io
from collections import Counter
from collections.abc import Mapping
from contextlib import redirect_stdout
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest

from infra.costs import MILLION, OPERATING, USAGE, Prices, cost_of, with_table
from infra.environments import Production
from session_datasets.domain.names import CALLED_VERBS, ENDING_VERBS, Verb
from tests.support.moto_cloud import MotoCloud, door
from tests.support.sessions import Session

BODY = b"number,word\n" + b"".join(b"%d,w%d\n" % (number, number) for number in range(80_000))
CONTEXT = SimpleNamespace(aws_request_id="0" * 36, function_name="f", get_remaining_time_in_millis=lambda: 30_000)

Seen = tuple[Counter[str], int]  # requests by operation, bytes of log


@pytest.fixture(scope="module")
def seen(moto_server: str) -> Mapping[Verb, Seen]:
    """What one call of each verb asked and wrote, each with an empty memory."""
    cloud = MotoCloud(moto_server)
    found: dict[Verb, Seen] = {}

    def call(verb: Verb, **body: Any) -> dict[str, Any]:
        cloud.restart()
        function = door(verb)
        function._metrics.clear_metrics()
        log = io.StringIO()
        with (
            patch.object(function, "_wire", lambda: cloud.wired),
            patch.object(function, "_is_cold", False),
            patch.object(function, "_spell", lambda answer: answer),
            patch.object(function._logger.registered_handler, "stream", log),
            redirect_stdout(log),
            cloud.counted_requests() as requests,
        ):
            answer: dict[str, Any] = function(body, CONTEXT)
        assert "problem" not in answer
        found[verb] = (Counter(requests), len(log.getvalue()))
        return answer

    opened = call(Verb.OPEN_SESSION, owner="acme", run_id="run-1", node="extract")
    node = Session(cloud, opened["token"], opened["session_id"], opened["workspace"])
    token = {"token": node.token}
    call(Verb.PREPARE_UPLOAD, **token, file_name="a.csv", size=len(BODY), sha256=hashlib.sha256(BODY).hexdigest())
    registered = call(Verb.REGISTER_ARTIFACT, **token, key=node.put("a.csv", BODY), name="a.csv")
    reference = {"reference": registered["reference"]}
    call(Verb.LIST_ARTIFACTS, **token)
    call(Verb.DESCRIBE_ARTIFACT, **token, **reference)
    call(Verb.LOAD_ARTIFACT, **token, **reference)
    call(Verb.READ_ROWS, **token, **reference, limit=100)
    call(Verb.READ_COLUMNS, **token, **reference, columns=["number"], rows=1_000)
    return found


def test_every_called_verb_has_its_cost_but_those_that_depend_on_what_they_remove() -> None:
    assert set(USAGE) == set(CALLED_VERBS) - set(ENDING_VERBS)


@pytest.mark.parametrize("verb", USAGE)
def test_the_requests_of_a_call_are_those_that_its_cost_is_made_of(seen: Mapping[Verb, Seen], verb: Verb) -> None:
    assert seen[verb][0] == Counter(USAGE[verb].requests)


@pytest.mark.parametrize("verb", USAGE)
def test_a_call_writes_no_more_to_its_log_than_its_cost_has(seen: Mapping[Verb, Seen], verb: Verb) -> None:
    assert USAGE[verb].log_bytes / 2 < seen[verb][1] <= USAGE[verb].log_bytes


def test_a_cost_is_the_sum_of_what_each_service_charges() -> None:
    prices = Prices(
        lambda_request=1,
        lambda_gb_second=10,
        s3_get=100,
        s3_put=1_000,
        dynamodb_read_unit=10_000,
        dynamodb_write_unit=100_000,
        logs_gb=0,
        trace=0,
    )
    used, cost = USAGE[Verb.REGISTER_ARTIFACT], cost_of(Verb.REGISTER_ARTIFACT, prices)
    gb_seconds = Production().register.memory_mib / 1024 * used.milliseconds / 1000
    assert cost.compute == pytest.approx(1 + 10 * gb_seconds)
    assert cost.s3 == 2 * 100 + 3 * 1_000
    assert cost.dynamodb == used.read_units * 10_000 + used.write_units * 100_000
    assert cost.total == pytest.approx(cost.compute + cost.s3 + cost.dynamodb)


def test_a_million_pages_cost_a_few_dollars() -> None:
    assert 1 < cost_of(Verb.READ_ROWS).total * MILLION < 10


def test_the_table_of_the_paper_is_the_computed_one() -> None:
    text = OPERATING.read_text()
    assert with_table(text) == text
