"""What the demo's summary counts is what went through."""

from __future__ import annotations

from typing import Any

import pytest

from infra.local.demo.meter import Meter, Tally, json_bytes
from session_datasets.client.transport import InProcessTransport
from session_datasets.domain.names import Verb


def tally(verb: Verb, body: dict[str, Any], answered: dict[str, Any]) -> Tally:
    meter = Meter(InProcessTransport(lambda *_: answered))
    meter.call(verb, body)
    counted = meter.tallies[verb.value]
    counted.milliseconds = 0.0
    counted.answer_bytes = 0
    return counted


CASES = {
    "a page": (Verb.READ_ROWS, {}, {"returned": 4, "rows": [[1]], "s3_requests": 2}, Tally(1, 4, 0, 0, 2)),
    "a series": (Verb.READ_COLUMNS, {}, {"rows": 1_000, "s3_requests": 3}, Tally(1, 1_000, 0, 0, 3)),
    "one PUT": (Verb.PREPARE_UPLOAD, {"size": 9}, {"put": {}, "parts": []}, Tally(1, 0, 0, 9, 1)),
    "parts": (Verb.PREPARE_UPLOAD, {"size": 9}, {"parts": [{}, {}]}, Tally(1, 0, 0, 9, 3)),
    "a download": (Verb.LOAD_ARTIFACT, {}, {"size": 9, "download": {}}, Tally(1, 0, 0, 9, 1)),
    "a copy": (Verb.LOAD_ARTIFACT, {}, {"size": 9, "key": "k"}, Tally(1)),
    "a refusal": (Verb.READ_ROWS, {}, {"problem": {}}, Tally(1)),
}


@pytest.mark.parametrize(("verb", "body", "answered", "counted"), CASES.values(), ids=CASES.keys())
def test_it_counts(verb: Verb, body: dict[str, Any], answered: dict[str, Any], counted: Tally) -> None:
    assert tally(verb, body, answered) == counted


def test_what_another_process_counted_is_added() -> None:
    one, two = Meter(InProcessTransport(lambda *_: {"returned": 2})), Meter(InProcessTransport(lambda *_: {}))
    one.call(Verb.READ_ROWS, {})
    two.add(one.to_json())
    two.add(one.to_json())
    assert (two.tallies["read_rows"].calls, two.tallies["read_rows"].rows) == (2, 4)


def test_bytes_are_those_of_utf_8() -> None:
    assert json_bytes({"é": "漢"}) == len(b'{"":""}') + 2 + 3
