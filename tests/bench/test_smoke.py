"""The benchmark at a small size: what its counts must be, whatever the machine. Milliseconds are not looked at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.bench.bench import OURS as OURS_LABEL
from tests.bench.bench import Bench, Outcome
from tests.bench.making import Files
from tests.bench.measuring import Measured, Reader
from tests.bench.readers.proofs import page_proof
from tests.bench.stand_in.pace import UNHURRIED
from tests.bench.stand_in.running import StandIn
from tests.bench.targets import verdict_of, verdicts

FEW, MANY = 10_000, 100_000
PAGE = {"limit": 100}
OURS = Reader(OURS_LABEL, "ours.page")


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """The seeded data set of MANY rows, registered on a stand-in."""
    store = tmp_path_factory.mktemp("store")
    files = Files(store, _silent)
    with StandIn(store) as stand_in:
        made = Bench(stand_in, files, files.rows_of(MANY), own_file=False, told=_silent)
        made.data = made.register(made.data)
        yield made


def _silent(what: str, part: float) -> None:
    pass


def _sound(outcome: Outcome) -> Outcome:
    assert [each.failure for each in outcome.measured] == [None] * len(outcome.measured)
    return outcome


@pytest.fixture(scope="module")
def pages(bench: Bench) -> Outcome:
    return _sound(bench.warm("page", "pages", [OURS], 12, pace=UNHURRIED, options=PAGE))


def test_a_page_at_any_offset_is_one_request(pages: Outcome) -> None:
    assert {sample.requests for sample in pages.ours.samples} == {1}


def test_a_page_at_any_offset_is_at_most_256_kb(pages: Outcome) -> None:
    assert pages.ours.most("bytes") <= 256_000


def test_the_answer_states_the_requests_that_were_counted(pages: Outcome) -> None:
    assert [sample.found["s3_requests"] for sample in pages.ours.samples] == [
        sample.requests for sample in pages.ours.samples
    ]


def test_a_page_holds_the_rows_that_were_asked_for(bench: Bench, pages: Outcome) -> None:
    peer = _sound(bench.warm("peer", "pages", [OURS, Reader("pyarrow", "pyarrow_reader.page")], 3, options=PAGE))
    assert [each.found["proof"] for each in peer.measured] == [pages.ours.samples[2].found["proof"]] * 2


def test_a_page_costs_no_more_of_ten_times_the_rows(bench: Bench, pages: Outcome) -> None:
    few = bench.register(bench.files.rows_of(FEW))
    smaller = _sound(bench.warm("few", "pages", [OURS], 12, data=few, pace=UNHURRIED, options=PAGE))
    assert pages.ours.most("requests") == smaller.ours.most("requests")
    assert pages.ours.middle("bytes") <= 1.1 * smaller.ours.middle("bytes")


def test_a_chart_of_all_rows_is_one_request_of_at_most_40_kb(bench: Bench) -> None:
    reader = Reader(OURS_LABEL, "ours.chart", {"points": 2_000, "whole": True})
    ours = _sound(bench.warm("chart", "chart", [reader], 2, pace=UNHURRIED)).ours
    assert (ours.most("requests"), ours.most("bytes") <= 40_000) == (1, True)


def test_a_whole_column_is_one_request_for_each_row_group_in_a_warm_process(bench: Bench) -> None:
    ours = _sound(bench.warm("column", "column", [Reader(OURS_LABEL, "ours.column")], 1, pace=UNHURRIED)).ours
    assert ours.samples[0].requests == ours.found["row_groups"]
    assert ours.samples[0].bytes <= 1.05 * ours.found["column_bytes"]


@pytest.fixture(scope="module")
def failing(bench: Bench) -> Outcome:
    """Ours, one that reads another row, and one that asks for what there can not be."""
    readers = [OURS, Reader("wrong", "ours.page", {"at": 17}), Reader("impossible", "ours.page", {"limit": -1})]
    return bench.warm("failing", "pages", readers, 1, pace=UNHURRIED, options={**PAGE, "at": 16}, warm_up=False)


def test_a_reader_that_answers_something_else_has_failed(failing: Outcome) -> None:
    told = (failing.measured[0].failure, failing.measured[1].failure)
    assert told == (None, f"answers {page_proof(100, 17)['proof']}, ours {page_proof(100, 16)['proof']}")


def test_a_reader_that_can_not_do_it_says_why(failing: Outcome) -> None:
    failure = failing.measured[2].failure
    assert failure is not None
    assert failure.startswith("RuntimeError: invalid-request")


def test_a_target_is_met_up_to_its_bound_and_missed_beyond(bench: Bench, pages: Outcome) -> None:
    outcomes = {"page": replace(pages, measured=[pages.ours])}
    (verdict,) = [each for each in verdicts(outcomes) if each.target.wanted == "≤ 256 KB"]
    assert verdict.met is True
    low = replace(verdict.target, bound=verdict.target.value(outcomes) - 0.001)
    assert verdict_of(low, outcomes).met is False


def test_a_target_without_its_case_is_told_as_not_measured(pages: Outcome) -> None:
    outcomes = {"page": replace(pages, measured=[Measured(OURS_LABEL, failure="gone")])}
    told = {(each.met, each.found) for each in verdicts(outcomes)}
    assert told == {(None, "not measured: gone"), (None, "not measured: our read engine alone did not run")}


def test_the_seeded_rows_are_the_beginning_of_more_of_them(bench: Bench, tmp_path: Path) -> None:
    few = Files(tmp_path, _silent).rows_of(1_000)
    begin = few.file(few.csv).read_bytes()
    with bench.data.file(bench.data.csv).open("rb") as more:
        assert more.read(len(begin)) == begin
