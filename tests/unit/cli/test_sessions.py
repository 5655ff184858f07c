"""Sessions opened, and conversations and runs ended, from the command line."""

from __future__ import annotations

import shlex
import subprocess

import pytest

from session_datasets.client.orchestrator import Orchestrator
from session_datasets.domain.names import ENV_QUALIFIER, ENV_STACK, ENV_TOKEN
from tests.unit.cli.shell import Shell


class TestOpen:
    def test_the_shell_evaluates_what_is_printed(self, shell: Shell) -> None:
        result = shell.run("open", "--owner", "acme", "--conversation", "chat")
        script = f"{result.stdout}\necho ${ENV_TOKEN}"
        told = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True).stdout
        assert told.strip().count(".") == 2
        assert f"export {ENV_TOKEN}={told.strip()}" in result.stdout.splitlines()

    def test_the_session_is_told_beside_the_exports(self, shell: Shell) -> None:
        result = shell.run("open", "--owner", "acme", "--run", "run")
        assert result.stderr.startswith("# Session ses-")

    def test_stack_and_alias_are_handed_on(self, shell: Shell) -> None:
        shell.environment |= {ENV_STACK: "my stack", ENV_QUALIFIER: "blue"}
        lines = shell.run("open", "--owner", "acme", "--run", "run").stdout.splitlines()
        assert lines[:2] == [f"export {ENV_STACK}={shlex.quote('my stack')}", f"export {ENV_QUALIFIER}=blue"]

    def test_json_holds_the_token_and_its_session(self, shell: Shell) -> None:
        opened = shell.json("open", "--owner", "acme", "--run", "run")
        assert opened["workspace"] == f"acme/runs/run/{opened['session_id']}/"
        assert {"token", "expires_at"} <= opened.keys()

    def test_a_token_may_be_narrowed_to_verbs(self, shell: Shell) -> None:
        opened = shell.json("open", "--owner", "acme", "--run", "run", "--verb", "list_artifacts")
        shell.environment[ENV_TOKEN] = opened["token"]
        assert shell.run("list").exit_code == 0
        assert "does not allow" in shell.run("rows", "art_" + 26 * "0").stderr

    def test_only_verbs_of_nodes_are_offered(self, shell: Shell) -> None:
        told = shell.run("open", "--help").stdout
        assert "read_rows" in told
        assert not any(verb in told for verb in ("profile_artifact", "publish_events", "audit_records", "end_run"))
        refused = shell.run("open", "--owner", "acme", "--run", "r", "--verb", "publish_events")
        assert (refused.exit_code, refused.stdout) == (2, "")

    def test_neither_conversation_nor_run_is_refused_before_any_call(
        self, shell: Shell, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(Orchestrator, "open_session", lambda *_, **__: pytest.fail("the service was asked"))
        result = shell.run("open", "--owner", "acme")
        assert result.exit_code == 2
        assert "--conversation / --run" in result.stderr
        assert result.stdout == ""


class TestEnding:
    def test_a_run_is_ended_and_told_by_its_counts(self, shell: Shell, artifact_id: str) -> None:
        result = shell.run("end-run", "run", "--owner", "acme", "--release-leases", "--yes")
        assert (result.exit_code, result.stdout.splitlines()[0]) == (0, "Removed:")
        assert ["artifacts", "1"] in [line.split() for line in result.stdout.splitlines()]
        assert "file versions" in result.stdout
        assert "notes" not in result.stdout

    def test_json_holds_all_counts(self, shell: Shell, artifact_id: str) -> None:
        removed = shell.json("end-run", "run", "--owner", "acme", "--release-leases", "--yes")
        assert (removed["artifacts"], removed["file_versions"], removed["uploads"]) == (1, 1, 0)

    @pytest.mark.parametrize(
        ("command", "what"), [("end-conversation", "conversation c-9 of acme"), ("end-run", "run c-9 of acme")]
    )
    def test_what_was_never_heard_of_or_ended_before_says_so(self, shell: Shell, command: str, what: str) -> None:
        result = shell.run(command, "c-9", "--owner", "acme", "--yes")
        assert result.exit_code == 0
        assert f"Nothing was left to remove: nothing was ever stored in {what}, or it ended before." in result.stdout

    @pytest.mark.parametrize("command", ["end-run", "end-conversation"])
    def test_nothing_is_removed_unless_it_is_confirmed(
        self, shell: Shell, monkeypatch: pytest.MonkeyPatch, command: str
    ) -> None:
        monkeypatch.setattr(Orchestrator, "_ended", lambda *_, **__: pytest.fail("the service was asked"))
        result = shell.run(command, "run", "--owner", "acme")
        assert (result.exit_code, result.stdout.strip()) == (1, "")
        assert "It can not be taken back" in result.stderr

    def test_open_sessions_are_told_with_what_to_do(self, shell: Shell) -> None:
        result = shell.run("end-run", "run", "--owner", "acme", "--yes")
        assert result.exit_code == 1
        assert "1 session of run run may still be at work" in result.stderr
        assert "call with --release-leases;" in " ".join(result.stderr.split())
