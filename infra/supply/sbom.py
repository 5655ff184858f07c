"""The bill of materials of each bundle: CycloneDX, as uv writes it from the lock, and the licences."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from infra.bundles.requirements import GROUPS, run_uv
from infra.supply.licences import LICENCES

Bom = dict[str, Any]


def bill_of(group: str) -> Bom:
    """Every package of one bundle with version, package URL, the hashes of its files, and its licence."""
    export = ["export", "--quiet", "--frozen", "--no-emit-project", "--format", "cyclonedx1.5"]
    bom: Bom = json.loads(run_uv(*export, "--only-group", f"bundle-{group}"))
    for component in bom["components"]:
        component["licenses"] = [{"expression": LICENCES[component["name"]]}]
    return bom


def write_bills(file: Path) -> None:
    """All bundles in one file: bundle -> its bill."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({group: bill_of(group) for group in GROUPS}, indent=1) + "\n")
