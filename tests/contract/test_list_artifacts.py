from __future__ import annotations

from typing import Any
from unittest.mock import patch

import pytest

from session_datasets.domain.limits import LIST_LIMIT_MAX
from tests.support.moto_cloud import MotoCloud
from tests.support.sessions import Opened, Session, problem_code


@pytest.fixture
def chat(opened: Opened) -> Session:
    return opened(conversation_id="talk-1")


def register_many(session: Session, count: int, **more: Any) -> list[str]:
    return [session.register(f"f{n}.csv", name=f"Table {n}", **more)["artifact_id"] for n in range(count)]


def test_a_listing_shows_what_a_later_session_needs_to_choose(chat: Session) -> None:
    registered = chat.register("sales.csv", name="Sales", description="Sales by day", kind="series")
    (item,) = chat.call("list_artifacts")["artifacts"]
    assert item["reference"] == {
        "v": 1,
        "artifact_id": registered["artifact_id"],
        "session_id": chat.session_id,
    }
    shown = {
        name: item[name] for name in ("name", "description", "kind", "format", "status", "rows", "columns", "size")
    }
    assert shown == {
        "name": "Sales",
        "description": "Sales by day",
        "kind": "series",
        "format": "csv",
        "status": "ready",
        "rows": 2,
        "columns": 2,
        "size": 12,
    }


def test_a_later_session_of_the_conversation_sees_what_an_earlier_one_registered(opened: Opened) -> None:
    ids = register_many(opened(conversation_id="talk-1"), 2)
    assert sorted(opened(conversation_id="talk-1").listed()) == sorted(ids)


def test_a_node_sees_what_the_other_nodes_of_its_run_registered(opened: Opened) -> None:
    ids = register_many(opened(run_id="run-1"), 2)
    assert sorted(opened(run_id="run-1").listed()) == sorted(ids)


def test_a_nodes_artifacts_are_seen_by_the_conversation_its_run_belongs_to(opened: Opened) -> None:
    ids = register_many(opened(conversation_id="talk-1", run_id="run-1"), 1)
    assert opened(conversation_id="talk-1").listed() == ids


def test_scope_session_shows_only_this_sessions_own(opened: Opened) -> None:
    register_many(opened(conversation_id="talk-1"), 1)
    second = opened(conversation_id="talk-1")
    ids = register_many(second, 1)
    assert second.listed(scope="session") == ids
    assert len(second.listed(scope="conversation")) == 2


@pytest.mark.parametrize(
    "stranger",
    [{"owner": "other", "conversation_id": "talk-1"}, {"conversation_id": "talk-2"}, {"run_id": "talk-1"}],
    ids=["another owner", "another conversation", "a run of the same id"],
)
def test_a_stranger_sees_nothing(opened: Opened, stranger: dict[str, str]) -> None:
    register_many(opened(conversation_id="talk-1"), 1)
    assert opened(**stranger).listed() == []


def test_newest_first_and_pages_join_without_gaps_or_repeats(chat: Session) -> None:
    ids = register_many(chat, 7)
    assert chat.listed(limit=2) == sorted(ids, reverse=True)


def test_what_arrives_meanwhile_changes_no_later_page(chat: Session) -> None:
    ids = sorted(register_many(chat, 4), reverse=True)
    first = chat.call("list_artifacts", limit=2)
    register_many(chat, 1, description="new")
    second = chat.call("list_artifacts", limit=2, cursor=first["next_cursor"])
    seen = [item["artifact_id"] for item in first["artifacts"] + second["artifacts"]]
    # The one that arrived shares the second of the others, so its hash decides whether it sorts among the later ones.
    assert [each for each in seen if each in ids] == ids[: len([each for each in seen if each in ids])]
    assert len(seen) == len(set(seen)) == 4


def test_a_listing_looks_at_no_more_records_than_its_page_and_one(cloud: MotoCloud, chat: Session) -> None:
    register_many(chat, 5)
    with patch.object(cloud.dynamodb, "_make_api_call", wraps=cloud.dynamodb._make_api_call) as asked:
        chat.call("list_artifacts", limit=2)
    queries = [call.args[1] for call in asked.call_args_list if call.args[0] == "Query"]
    assert [query["Limit"] for query in queries] == [3, 3]


def test_a_full_last_page_has_no_next(chat: Session) -> None:
    register_many(chat, 2)
    assert "next_cursor" not in chat.call("list_artifacts", limit=2)


@pytest.mark.parametrize("wanted", ["table 3", "TABLE 3", "DESCRIBED 3"])
def test_name_contains_looks_in_name_and_description_whatever_the_case(chat: Session, wanted: str) -> None:
    for number in range(5):
        chat.register(f"f{number}.csv", name=f"Table {number}", description=f"Described {number}")
    (item,) = chat.call("list_artifacts", name_contains=wanted)["artifacts"]
    assert item["name"] == "Table 3"


def test_kind_filters(chat: Session) -> None:
    chat.register("a.csv", name="a")
    series = chat.register("b.csv", name="b", kind="series")["artifact_id"]
    assert chat.listed(kind="series") == [series]


def test_files_that_were_never_registered_are_not_listed(chat: Session) -> None:
    chat.put("scratch.csv", b"a\n1\n")
    assert chat.listed() == []


def test_a_scope_that_the_session_has_not_is_refused(opened: Opened) -> None:
    assert problem_code(opened(run_id="run-1").call("list_artifacts", scope="conversation")) == "invalid-request"
    assert problem_code(opened(conversation_id="t").call("list_artifacts", scope="run")) == "invalid-request"


@pytest.mark.parametrize("limit", [0, -1, LIST_LIMIT_MAX + 1, "10", 1.5, True])
def test_a_limit_out_of_range_is_refused(chat: Session, limit: object) -> None:
    refused = chat.call("list_artifacts", limit=limit)
    assert problem_code(refused) == "invalid-request"
    assert refused["problem"]["detail"].startswith("limit")
