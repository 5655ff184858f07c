"""Sessions, listings and rows, as a node holds them."""

from __future__ import annotations

import logging
import traceback
from datetime import UTC, datetime
from pathlib import Path

import pytest

from session_datasets.client.errors import ConfigurationError, IncompleteRowError, NotAllowedError, TransferError
from session_datasets.client.orchestrator import Orchestrator
from session_datasets.client.transport import DeployedTransport
from session_datasets.client.workspace import Workspace
from session_datasets.domain.names import ENV_QUALIFIER, ENV_STACK, ENV_TOKEN, Verb
from tests.support.moto_cloud import MotoCloud
from tests.unit.client.flaky import Fault, FlakyStorage


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    path = tmp_path / "numbers.csv"
    path.write_text("n,name\n" + "".join(f"{n},row {n}\n" for n in range(250)))
    return path


class TestSessions:
    def test_a_session_says_who_it_is_and_how_long(self, cloud: MotoCloud) -> None:
        before = datetime.now(UTC)
        session = cloud.orchestrator().open_session(owner="acme", run_id="run", node="clean", ttl_seconds=600)
        assert session.workspace_prefix == f"acme/runs/run/{session.session_id}/"
        assert 590 <= (session.expires_at - before).total_seconds() <= 660

    def test_the_environment_leads_another_process_to_the_session(self, cloud: MotoCloud) -> None:
        orchestrator = Orchestrator(cloud.transport(), {ENV_STACK: "my-stack", ENV_QUALIFIER: "blue"})
        session = orchestrator.open_session(owner="acme", conversation_id="chat")
        assert session.environment() == {ENV_STACK: "my-stack", ENV_QUALIFIER: "blue", ENV_TOKEN: session.token}
        assert Workspace.from_env(environment=session.environment()).token == session.token

    def test_a_narrowed_token_allows_only_its_verbs(self, cloud: MotoCloud) -> None:
        workspace = cloud.open(verbs=[Verb.LIST_ARTIFACTS])
        assert list(workspace.list_artifacts()) == []
        with pytest.raises(NotAllowedError, match="read_rows"):
            workspace.read_rows("art_" + 26 * "0")

    @pytest.mark.parametrize("environment", [{}, {ENV_TOKEN: ""}])
    def test_without_a_token_there_is_no_workspace(self, environment: dict[str, str]) -> None:
        with pytest.raises(ConfigurationError, match=ENV_TOKEN):
            Workspace.from_env(environment=environment)

    def test_stack_and_alias_come_from_the_environment(self) -> None:
        workspace = Workspace.from_env(environment={ENV_TOKEN: "t", ENV_STACK: "my-stack", ENV_QUALIFIER: "blue"})
        assert repr(workspace._calls._transport) == "DeployedTransport(stack='my-stack', qualifier='blue')"

    def test_files_are_loaded_to_the_current_directory_unless_told(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.chdir(tmp_path)
        assert Workspace("token", DeployedTransport()).directory == tmp_path


class TestListings:
    def test_all_pages_come_by_descending_id(
        self, cloud: MotoCloud, csv: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("session_datasets.client.workspace.LIST_LIMIT_MAX", 2)
        workspace = cloud.open()
        ids = [workspace.register_artifact(csv, name=f"number {n}").artifact_id for n in range(5)]
        assert [each.artifact_id for each in workspace.list_artifacts()] == sorted(ids, reverse=True)

    def test_a_page_is_fetched_only_when_the_iterator_gets_there(
        self, cloud: MotoCloud, csv: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("session_datasets.client.workspace.LIST_LIMIT_MAX", 1)
        asked: list[Verb] = []

        class Counting:
            def call(self, verb: Verb, body: dict[str, object]) -> dict[str, object]:
                asked.append(verb)
                return cloud.call(verb, body)

        workspace = Workspace(cloud.token(), Counting())
        for n in range(3):
            workspace.register_artifact(csv, name=f"number {n}")
        asked.clear()
        listing = workspace.list_artifacts()
        assert asked == []
        next(listing)
        assert asked == [Verb.LIST_ARTIFACTS]

    def test_one_page_hands_its_cursor_to_the_next(self, cloud: MotoCloud, csv: Path) -> None:
        workspace = cloud.open()
        ids = [workspace.register_artifact(csv, name=f"number {n}").artifact_id for n in range(3)]
        first = workspace.list_page(limit=2)
        second = workspace.list_page(limit=2, cursor=first.next_cursor)
        listed = [each.artifact_id for each in (*first.artifacts, *second.artifacts)]
        assert listed == sorted(ids, reverse=True)
        assert second.next_cursor is None


class TestRows:
    def test_rows_are_dicts_by_column_name(self, cloud: MotoCloud, csv: Path) -> None:
        workspace = cloud.open()
        numbers = workspace.register_artifact(csv)
        rows = list(workspace.iter_rows(numbers, batch=100))
        assert rows == [{"n": n, "name": f"row {n}"} for n in range(250)]

    def test_rows_are_tuples_when_asked_in_the_order_asked(self, cloud: MotoCloud, csv: Path) -> None:
        workspace = cloud.open()
        numbers = workspace.register_artifact(csv)
        rows = workspace.iter_rows(numbers, columns=["name", "n"], form="tuple")
        assert next(rows) == ("row 0", 0)

    def test_a_row_that_no_page_holds_whole_is_an_error_not_a_cut_cell(
        self, cloud: MotoCloud, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("session_datasets.client.workspace.PAGE_BYTES_MAX", 4_096)
        path = tmp_path / "wide.csv"
        path.write_text("n,text\n1,short\n2," + 50_000 * "x" + "\n3,short\n")
        workspace = cloud.open()
        rows = workspace.iter_rows(workspace.register_artifact(path))
        assert next(rows) == {"n": 1, "text": "short"}
        with pytest.raises(IncompleteRowError, match=r"Row 1 .* 50,000 characters in 'text'.*load_artifact"):
            next(rows)

    def test_columns_as_one_text_is_a_type_error(self, cloud: MotoCloud) -> None:
        with pytest.raises(TypeError, match="list"):
            cloud.open().read_rows("art_" + 26 * "0", columns="name")

    def test_a_series_has_every_value_of_a_short_window(self, cloud: MotoCloud, csv: Path) -> None:
        workspace = cloud.open()
        series = workspace.read_columns(workspace.register_artifact(csv), ["n"], offset=10, rows=3)
        assert series.columns[0].values == [10, 11, 12]


class TestSecrets:
    def test_no_repr_shows_a_token(self, cloud: MotoCloud) -> None:
        session = cloud.orchestrator().open_session(owner="acme", conversation_id="chat")
        workspace = session.workspace()
        shown = repr([session, workspace, workspace._calls, workspace._calls._transport])
        assert session.token not in shown

    def test_no_log_line_shows_a_token_or_a_signature(
        self, workspace: Workspace, csv: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.DEBUG, logger="urllib3")
        caplog.clear()
        workspace.load_artifact(workspace.register_artifact(csv))
        lines = [record.getMessage() for record in caplog.records if record.name.startswith("urllib3")]
        assert any("GET" in line for line in lines)
        assert not any("X-Amz-Signature" in line or workspace.token in line for line in lines)

    @pytest.mark.parametrize("fault", [Fault(drop=True, times=99), Fault(refuse=(403, "AccessDenied", "no"), times=99)])
    def test_no_traceback_shows_a_url(
        self, workspace: Workspace, storage: FlakyStorage, csv: Path, fault: Fault
    ) -> None:
        storage.faults.append(fault)
        with pytest.raises(TransferError) as raised:
            workspace.register_artifact(csv)
        text = "".join(traceback.format_exception(raised.value))
        assert "X-Amz-Signature" not in text
        assert workspace.token not in text
