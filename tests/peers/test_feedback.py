"""Beside deep-db-agents: the same exceptions, the same families and facts; and where ours goes further."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import pytest
from deep_db_agents import exceptions as theirs
from deep_db_agents import query_errors as peer
from deep_db_agents.guardrails import GuardrailConfig
from deep_db_agents.guardrails import SessionBudget as PeerBudget

from session_datasets import feedback as ours
from tests.unit.domain.secrets_in_texts import HIDDEN, SECRETS

# Words of the peer's users' prompts: both have to say them.
FACTS = {
    "rejected": ("NOT executed", "OperationalError", "no such column: prize", "SELECT prize FROM sales"),
    "setup": ("NOT executed", "Could not connect", "refused", "report"),
    "estimate": ("NOT executed", "5,000,000", "aggregate"),
    "budget": ("5 of 5 rows", "budget", "new session"),
}
E = TypeVar("E", bound=Exception)
OperationalError = type("OperationalError", (Exception,), {})


def setup_error(kind: type[E]) -> E:
    error = kind("Could not connect.")
    error.__cause__ = ConnectionError("postgres://ana:hunter2@db refused")
    return error


def of_peer() -> dict[str, str]:
    return {
        "rejected": peer.format_query_error(OperationalError("no such column: prize"), query="SELECT prize FROM sales"),
        "setup": peer.format_setup_error(setup_error(theirs.SessionSetupError)),
        "estimate": peer.format_estimate_block(theirs.EstimateExceededError("~5,000,000 rows")),
        "budget": peer.format_budget_block(theirs.RowBudgetExceededError("5 of 5 rows")),
    }


def of_ours() -> dict[str, str]:
    return {
        "rejected": ours.format_query_error(OperationalError("no such column: prize"), query="SELECT prize FROM sales"),
        "setup": ours.format_setup_error(setup_error(ours.SessionSetupError)),
        "estimate": ours.format_estimate_block(ours.EstimateExceededError("~5,000,000 rows")),
        "budget": ours.format_budget_block(ours.RowBudgetExceededError("5 of 5 rows")),
    }


@pytest.mark.parametrize("told", [of_peer, of_ours], ids=["peer", "ours"])
@pytest.mark.parametrize("family", FACTS)
def test_both_tell_the_same_facts_of_a_family(told: Callable[[], dict[str, str]], family: str) -> None:
    text = told()[family].replace("Aggregate", "aggregate")
    assert [fact for fact in FACTS[family] if fact not in text] == []


@pytest.mark.parametrize("told", [of_peer, of_ours], ids=["peer", "ours"])
def test_both_say_of_a_budget_block_that_the_result_is_withheld_and_not_that_nothing_ran(
    told: Callable[[], dict[str, str]],
) -> None:
    headline = told()["budget"].splitlines()[0]
    assert "NOT executed" not in headline
    assert "NOT returned" in headline or "withheld" in headline


@pytest.mark.parametrize("what", ["pipeline", "Cypher query"])
@pytest.mark.parametrize("function", ["format_query_error", "format_setup_error", "format_estimate_block"])
def test_the_label_is_used_by_both(function: str, what: str) -> None:
    for module, error in ((peer, theirs.SessionSetupError("x")), (ours, ours.SessionSetupError("x"))):
        assert f"the {what} " in getattr(module, function)(error, what=what).splitlines()[0]


@pytest.mark.parametrize(("length", "is_cut"), [(2_000, False), (2_001, True)])
def test_both_cut_a_query_at_2000_characters(length: int, is_cut: bool) -> None:
    for module in (peer, ours):
        text = module.format_query_error(ValueError("x"), query="q" * length)
        assert ("q" * 2_001 in text, "q" * 2_000 + " …[" in text) == (False, is_cut)


def test_both_log_for_the_operator(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    of_peer(), of_ours()
    names = [record.name.split(".")[0] for record in caplog.records]
    assert names == ["deep_db_agents"] * 4 + ["session_datasets"] * 4


def test_the_peers_own_exceptions_find_their_family_in_ours() -> None:
    assert "Nothing was run." in ours.format_estimate_block(theirs.EstimateExceededError("x"))
    assert "withheld" in ours.format_budget_block(theirs.RowBudgetExceededError("x"))


# --- where ours goes further

# What the peer's two patterns take out as well.
KNOWN_TO_BOTH = {"password in a URL", "token as the user of a URL", "X-Amz-Security-Token"}
MISSED_BY_THE_PEER = (
    *("password with a slash in a URL", "password with an @ in a URL", "user and password without a scheme"),
    *("bearer", "basic", "key id", "secret key", "DB_PASSWORD", "PGPASSWORD", "access_token", "session_token", "JSON"),
    *("X-Amz-Signature", "X-Amz-Credential"),
)


def leaks(text: str) -> list[str]:
    return [part for part in HIDDEN if part in text]


@pytest.mark.parametrize("case", MISSED_BY_THE_PEER)
def test_a_secret_that_simple_patterns_miss_does_not_reach_the_model(case: str) -> None:
    error = ValueError(SECRETS[case][0])
    assert leaks(peer.format_query_error(error)) != []
    assert leaks(ours.format_query_error(error)) == []


@pytest.mark.parametrize("case", sorted(KNOWN_TO_BOTH))
def test_a_secret_that_simple_patterns_know_is_taken_out_by_both(case: str) -> None:
    error = ValueError(SECRETS[case][0])
    assert leaks(peer.format_query_error(error)) == leaks(ours.format_query_error(error)) == []


def test_the_submitted_query_is_redacted_too() -> None:
    query = "ATTACH 'postgres://ana:hunter2@db'"
    assert "hunter2" in peer.format_query_error(ValueError("x"), query=query)
    assert "hunter2" not in ours.format_query_error(ValueError("x"), query=query)


def test_details_of_guards_are_redacted_too() -> None:
    assert "hunter2" in peer.format_estimate_block(theirs.EstimateExceededError("mysql://ana:hunter2@db: 9 rows"))
    assert "hunter2" not in ours.format_estimate_block(ours.EstimateExceededError("mysql://ana:hunter2@db: 9 rows"))


def test_a_parsers_word_survives() -> None:
    error = ValueError("syntax error, unexpected token: FORM")
    assert "FORM" not in peer.format_query_error(error)
    assert "unexpected token: FORM" in ours.format_query_error(error)


def test_a_failure_has_a_code_a_correlation_id_and_a_structure() -> None:
    text = ours.format_query_error(ValueError("x"))
    assert "(engine-rejected)" in text
    assert "Correlation id: cor-" in text
    assert json.loads(json.dumps(ours.feedback_of(ValueError("x")).structured()))["error_type"] == "ValueError"


def test_an_error_without_words_of_its_own_hides_nothing() -> None:
    class Silent(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no words")

    with pytest.raises(RuntimeError, match="no words"):
        peer.format_query_error(Silent())
    assert "Silent" in ours.format_query_error(Silent())


def test_a_result_that_does_not_fit_is_not_charged() -> None:
    peers, own = PeerBudget(10), ours.SessionBudget(10)
    for budget, refusal in ((peers, theirs.RowBudgetExceededError), (own, ours.RowBudgetExceededError)):
        with pytest.raises(refusal):
            budget.charge(11)
    assert (peers.consumed, own.consumed) == (11, 0)
    own.charge(10)


def test_both_budgets_take_a_charge_that_lands_on_the_budget() -> None:
    for budget in (PeerBudget(10), ours.SessionBudget(10)):
        budget.charge(10)
        assert budget.consumed == 10


def test_both_count_in_parallel_but_only_ours_ever_stops_exactly() -> None:
    own = ours.SessionBudget(100)

    def charge(_: int) -> int:
        try:
            own.charge(7)
        except ours.RowBudgetExceededError:
            return 0
        return 7

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(charge, range(200))) == own.consumed == 98


def test_both_allow_an_estimate_of_exactly_the_threshold() -> None:
    GuardrailConfig(explain_row_threshold=10).check_estimate(10)
    ours.check_estimate(10, 10)
    with pytest.raises(theirs.EstimateExceededError):
        GuardrailConfig(explain_row_threshold=10).check_estimate(11)
    with pytest.raises(ours.EstimateExceededError):
        ours.check_estimate(11, 10)
