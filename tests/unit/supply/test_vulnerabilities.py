"""A finding fails an audit, what could not be checked is told."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from infra.bundles.requirements import GROUPS
from infra.supply import __main__ as command
from infra.supply import vulnerabilities
from infra.supply.installed import deployed, releases_in
from infra.supply.vulnerabilities import Audited, audited, outcome

CLEAN = {"name": "boto3", "version": "1.44.8", "vulns": []}
SKIPPED = {"name": "idna", "skip_reason": "Dependency not found on PyPI"}
FIXED = {"name": "urllib3", "version": "2.0.0", "vulns": [{"id": "PYSEC-1", "fix_versions": ["2.0.6", "1.26.17"]}]}
UNFIXED = {"name": "six", "version": "1.0", "vulns": [{"id": "PYSEC-2", "fix_versions": []}]}


def report(*dependencies: dict[str, Any]) -> dict[str, Any]:
    return {"dependencies": list(dependencies), "fixes": []}


def test_a_finding_tells_release_advisory_and_what_mends_it() -> None:
    assert outcome("uv.lock", report(CLEAN, FIXED, UNFIXED)) == Audited(
        "uv.lock",
        checked=3,
        found=("urllib3 2.0.0: PYSEC-1, fixed in 2.0.6, 1.26.17", "six 1.0: PYSEC-2, fixed in none yet"),
    )


def test_what_the_advisories_do_not_know_counts_as_not_checked() -> None:
    found = outcome("uv.lock", report(CLEAN, SKIPPED))
    assert (found.checked, found.unchecked) == (1, ("idna: Dependency not found on PyPI",))


def test_where_there_is_no_report_nothing_counts_as_checked(tmp_path: Path) -> None:
    found = audited("none", tmp_path / "no-such-file.txt")
    assert (found.checked, len(found.unchecked)) == (0, 1)


@pytest.mark.parametrize(
    ("result", "status", "told"),
    [
        (Audited("uv.lock", checked=1), 0, "uv.lock: 1 checked, 0 vulnerable"),
        (Audited("uv.lock", checked=1, found=["six 1.0: PYSEC-2"]), 1, "VULNERABLE six 1.0: PYSEC-2"),
        (Audited("uv.lock", unchecked=["no route to pypi.org"]), 0, "not checked: no route to pypi.org"),
        (Audited("uv.lock", unchecked=["no route"]), 0, "NOT EVERYTHING WAS CHECKED"),
        (Audited("uv.lock", found=["six"], unchecked=["idna"]), 1, "NOT EVERYTHING WAS CHECKED"),
    ],
)
def test_only_a_finding_fails_and_the_unchecked_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], result: Audited, status: int, told: str
) -> None:
    monkeypatch.setattr(command, "audit_everything", lambda: [result])
    assert command.main("audit") == status
    assert told in capsys.readouterr().out


def test_an_audit_of_what_is_deployed_asks_for_bundles_and_sdk_only(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = {}

    def note(place: str, requirements: Path) -> Audited:
        asked[place] = set(releases_in(requirements.read_text()))
        return Audited(place)

    monkeypatch.setattr(vulnerabilities, "audited", note)
    vulnerabilities.audit_deployed()
    places = deployed()
    assert asked["bundles"] == {name for group in GROUPS for name in places[group]}
    assert asked["sdk"] == set(places["sdk"])


def test_an_audit_that_takes_for_ever_has_checked_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def never(command: list[str], **_: object) -> None:
        raise subprocess.TimeoutExpired(command, 600)

    monkeypatch.setattr(subprocess, "run", never)
    assert audited("none", tmp_path).unchecked == ("no answer within 600 seconds",)


def test_a_requirements_file_is_read_by_its_exact_versions() -> None:
    text = "# why\nBoto3==1.44.8 \\\n    --hash=sha256:00\nnumpy==2.4.6 ; python_version < '3.12'\nnumpy==2.5.5\n"
    assert releases_in(text) == {"boto3": ("1.44.8",), "numpy": ("2.4.6", "2.5.5")}
