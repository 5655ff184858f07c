"""Files loaded from the command line."""

from __future__ import annotations

import json
import os
from pathlib import Path

from tests.unit.cli.shell import Shell


class TestLoad:
    def test_the_path_is_printed_and_the_file_is_there(self, shell: Shell, csv: Path, artifact_id: str) -> None:
        path = Path(shell.run("load", artifact_id).stdout.strip())
        assert path == Path.cwd() / "prices.csv"
        assert path.read_bytes() == csv.read_bytes()

    def test_json_holds_the_path(self, shell: Shell, artifact_id: str) -> None:
        assert shell.json("load", artifact_id, "--to", "data/p.csv") == {"path": str(Path.cwd() / "data/p.csv")}

    def test_a_reference_as_json_is_a_reference(self, shell: Shell, artifact_id: str) -> None:
        assert shell.run("load", json.dumps({"artifact_id": artifact_id})).exit_code == 0

    def test_overwrite_replaces(self, shell: Shell, csv: Path, artifact_id: str) -> None:
        Path("prices.csv").write_text("old")
        assert shell.run("load", artifact_id, "--overwrite").exit_code == 0
        assert Path("prices.csv").read_bytes() == csv.read_bytes()

    def test_a_copy_in_the_workspace_is_told_by_its_key(self, shell: Shell, artifact_id: str) -> None:
        assert shell.run("load", artifact_id, "--into", "workspace").stdout.strip().endswith("/prices.csv")
        assert os.listdir() == []

    def test_a_path_outside_is_refused(self, shell: Shell, artifact_id: str) -> None:
        result = shell.run("load", artifact_id, "--to", "../outside.csv")
        assert result.exit_code == 1
        assert "working directory" in result.stderr
