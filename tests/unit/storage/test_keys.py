from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.profile import Role
from session_datasets.storage import keys
from tests.support.builders import a_caller, an_artifact

CHAT = a_caller(conversation_id="talk-1", run_id=None)
NODE = a_caller(conversation_id="talk-1", run_id="run-1", session_id="ses-1")


def test_sessions_of_a_chat_share_its_workspace() -> None:
    assert keys.workspace_prefix(CHAT) == "acme/conversations/talk-1/"


def test_a_node_of_a_run_has_its_own_workspace() -> None:
    assert keys.workspace_prefix(NODE) == "acme/runs/run-1/ses-1/"


@pytest.mark.parametrize("rest", ["datasets/a.csv", "docs/a.pdf", "datasets/deep/er/a b (1).csv", "datasets/_x"])
def test_a_file_below_the_workspaces_folders_is_inside(rest: str) -> None:
    keys.require_inside(CHAT, f"acme/conversations/talk-1/{rest}")


@pytest.mark.parametrize(
    "key",
    [
        "",
        "a.csv",
        "acme/conversations/talk-2/datasets/a.csv",
        "other/conversations/talk-1/datasets/a.csv",
        "acme/runs/run-1/ses-1/datasets/a.csv",
        "/acme/conversations/talk-1/datasets/a.csv",
        "acme/conversations/talk-1/datasets/../../talk-2/datasets/a.csv",
        "acme/conversations/talk-1/datasets/%2e%2e/a.csv",
        "acme/conversations/talk-1/datasets//a.csv",
        "acme/conversations/talk-1/datasets/",
        "acme/conversations/talk-1/datasets",
        "acme/conversations/talk-1/datasets/a\0.csv",
        "acme/conversations/talk-1/datasets/a.csv\n",
        "acme/conversations/talk-1/datasets/．．/a.csv",
        "acme/conversations/talk-1/datasets/\u202ea.csv",
        "acme/conversations/talk-1/other/a.csv",
        "acme/conversations/talk-1/" + "datasets/" + "/".join(["x" * 200] * 6),
        "s3://bucket/acme/conversations/talk-1/datasets/a.csv",
        "_derived/acme/art_0/rows",
    ],
)
def test_any_other_key_is_refused(key: str) -> None:
    with pytest.raises(Refusal) as refused:
        keys.require_inside(CHAT, key)
    assert refused.value.problem.code is ProblemCode.KEY_OUTSIDE_WORKSPACE


@pytest.mark.parametrize("name", ["..", ".", "", "a/b", "a\\b", ".hidden", "ü.csv", "x" * 256, "a\0b"])
def test_an_upload_takes_plain_names_only_and_proposes_one(name: str) -> None:
    with pytest.raises(Refusal) as refused:
        keys.upload_key(CHAT, name)
    proposed = refused.value.problem.retry_with["file_name"]
    assert keys.upload_key(CHAT, proposed) == f"acme/conversations/talk-1/datasets/{proposed}"


@given(st.text(max_size=400))
def test_whatever_the_name_the_proposal_is_accepted(name: str) -> None:
    keys.upload_key(CHAT, keys.safe_file_name(name))


def test_a_safe_name_keeps_its_suffix_when_it_is_cut() -> None:
    assert keys.safe_file_name("ä" * 300 + ".parquet").endswith("_.parquet")


def test_a_copy_has_one_place_in_the_callers_workspace() -> None:
    key = keys.copy_key(NODE, an_artifact())
    assert key == f"acme/runs/run-1/ses-1/datasets/loaded/{an_artifact().artifact_id}/sales.csv"
    keys.require_inside(NODE, key)


@pytest.mark.parametrize("role", Role)
def test_no_owner_can_reach_the_derived_prefix(role: Role) -> None:
    with pytest.raises(Refusal):
        keys.require_inside(CHAT, keys.derived_key(an_artifact().scope, an_artifact().artifact_id, role))
