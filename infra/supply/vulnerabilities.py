"""Which of the pinned releases are known to be vulnerable, as PyPI's advisories have it.

A machine that reaches registries only may not reach the advisories. That is told, and is no failure: nothing was found,
and nothing was checked. A finding is one.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from infra.bundles.requirements import NUMERIC, locked_requirements
from infra.supply.installed import everything_locked, requirement_files, sdk_requirements

AUDIT_SECONDS = 600


@dataclass(frozen=True)
class Audited:
    """What became of one list of requirements; ``found`` and ``unchecked`` are ``name version: why``."""

    place: str
    checked: int = 0
    found: Sequence[str] = ()
    unchecked: Sequence[str] = ()

    def __str__(self) -> str:
        lines = [f"{self.place}: {self.checked} checked, {len(self.found)} vulnerable"]
        lines += [f"  VULNERABLE {each}" for each in self.found]
        lines += [f"  not checked: {each}" for each in self.unchecked[:3]]
        if len(self.unchecked) > 3:
            lines.append(f"  not checked: {len(self.unchecked) - 3} more")
        return "\n".join(lines)


def audit_deployed() -> list[Audited]:
    """What ends up in an account or on a node, and nothing of what builds and tests it."""
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "deployed.txt"
        # The widest bundle holds the others.
        file.write_text(locked_requirements(NUMERIC))
        sdk = Path(scratch) / "sdk.txt"
        sdk.write_text(sdk_requirements())
        return [audited("bundles", file), audited("sdk", sdk)]


def audit_everything() -> list[Audited]:
    """uv.lock as a whole, and every file of pinned requirements beside it."""
    with tempfile.TemporaryDirectory() as scratch:
        locked = Path(scratch) / "uv.lock.txt"
        locked.write_text(everything_locked())
        return [audited("uv.lock", locked), *(audited(file.name, file) for file in requirement_files())]


def audited(place: str, requirements: Path) -> Audited:
    """Asks pip-audit, which installs nothing: versions are exact, and so are hashes."""
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.json"
        asked = ["--requirement", str(requirements), "--disable-pip", "--no-deps", "--progress-spinner", "off"]
        command = [sys.executable, "-m", "pip_audit", *asked, "--format", "json", "--output", str(report)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=AUDIT_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return Audited(place, unchecked=(f"no answer within {AUDIT_SECONDS} seconds",))
        if not report.is_file():
            return Audited(place, unchecked=(_last_line(done.stderr),))
        return outcome(place, json.loads(report.read_text()))


def outcome(place: str, report: dict[str, Any]) -> Audited:
    """From pip-audit's JSON."""
    checked, found, unchecked = 0, [], []
    for each in report["dependencies"]:
        if "skip_reason" in each:
            unchecked.append(f"{each['name']}: {each['skip_reason']}")
            continue
        checked += 1
        for known in each["vulns"]:
            fixed = ", ".join(known.get("fix_versions", ())) or "none yet"
            found.append(f"{each['name']} {each['version']}: {known['id']}, fixed in {fixed}")
    return Audited(place, checked, tuple(found), tuple(unchecked))


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip()[:300] if lines else "pip-audit said nothing"
