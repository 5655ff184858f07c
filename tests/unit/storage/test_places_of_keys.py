"""Whose file, or whose derived object, lies at a key."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from session_datasets.domain.audit import DerivedPlace, FilePlace, WorkspaceOf
from session_datasets.domain.profile import Role
from session_datasets.domain.scope import Scope, ScopeKind
from session_datasets.storage import keys

ID = "art_01m8p6wjbr27mr83456z1cw7fd"
OF_RUN = WorkspaceOf("acme", ScopeKind.RUN, "run-1", "ses-1")
OF_CONVERSATION = WorkspaceOf("acme", ScopeKind.CONVERSATION, "talk-1")
SCOPES = {
    OF_RUN: Scope("acme", "ses-1", None, "run-1"),
    OF_CONVERSATION: Scope("acme", "ses-1", "talk-1", None),
}
each_workspace = pytest.mark.parametrize("workspace", SCOPES, ids=["run", "conversation"])


@each_workspace
def test_a_file_is_of_its_workspace(workspace: WorkspaceOf) -> None:
    key = f"{keys.workspace_prefix(SCOPES[workspace])}datasets/deep/a.csv"
    assert keys.place_of(key) == FilePlace(workspace, key)


@each_workspace
@pytest.mark.parametrize("role", Role)
def test_a_derived_object_is_of_its_artifact(workspace: WorkspaceOf, role: Role) -> None:
    key = keys.derived_key(SCOPES[workspace], ID, role)
    assert keys.place_of(key) == DerivedPlace(workspace, ID)
    assert keys.place_of(keys.profile_key(SCOPES[workspace], ID)) == DerivedPlace(workspace, ID)


def test_a_session_of_both_has_the_workspace_of_its_run() -> None:
    prefix = keys.workspace_prefix(Scope("acme", "ses-1", "talk-1", "run-1"))
    assert keys.place_of(f"{prefix}datasets/a") == FilePlace(OF_RUN, f"{prefix}datasets/a")


@pytest.mark.parametrize(
    "key",
    [
        "",
        "acme",
        "acme/runs/r/s",
        "acme/conversations/c",
        "acme/other/c/x",
        "_derived/acme/art_x/rows",
        "_audit/acme/x",
    ],
)
def test_any_other_key_is_of_none(key: str) -> None:
    assert keys.place_of(key) is None


@given(st.text(st.sampled_from("a/_#é.") | st.characters(), max_size=60))
def test_no_key_does_worse_than_to_be_of_none(key: str) -> None:
    keys.place_of(key)


@pytest.mark.parametrize(
    ("within", "counts"),
    [
        ("datasets/a.csv", True),
        ("datasets/b/c", True),
        ("datasets/loaded/x/a.csv", False),
        ("docs/a", False),
        ("a", False),
    ],
)
@each_workspace
def test_what_a_node_left_as_a_dataset_is_neither_a_document_nor_a_copy(
    workspace: WorkspaceOf, within: str, counts: bool
) -> None:
    key = keys.workspace_prefix(SCOPES[workspace]) + within
    assert keys.is_of_a_node(FilePlace(workspace, key)) is counts


def test_reports_lie_where_no_workspace_is() -> None:
    assert keys.place_of(keys.report_key("acme", "2026-11-30T12-00-00Z")) is None
