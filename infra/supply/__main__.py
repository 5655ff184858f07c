"""``python -m infra.supply audit|audit-deployed|licences|sbom``: see docs/operating.md, Supply chain."""

from __future__ import annotations

import sys

from infra.bundles.requirements import ROOT
from infra.supply.installed import deployed
from infra.supply.licences import document
from infra.supply.sbom import write_bills
from infra.supply.vulnerabilities import Audited, audit_deployed, audit_everything

SBOM = ROOT / ".local" / "sbom.json"
LICENCES_DOCUMENT = ROOT / "docs" / "licences.md"


def main(command: str) -> int:
    match command:
        case "audit":
            return _told(audit_everything())
        case "audit-deployed":
            return _told(audit_deployed())
        case "licences":
            LICENCES_DOCUMENT.write_text(document(deployed()))
        case "sbom":
            write_bills(SBOM)
            print(f"The bills of materials: {SBOM.relative_to(ROOT)}")
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    return 0


def _told(results: list[Audited]) -> int:
    """1 when anything is known to be vulnerable. What could not be checked is told, and ends with 0."""
    for each in results:
        print(each)
    if any(each.unchecked for each in results):
        print("NOT EVERYTHING WAS CHECKED: see above. The advisories are at pypi.org; run this where it is reached.")
    return 1 if any(each.found for each in results) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) == 2 else ""))
