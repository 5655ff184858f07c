"""The bill of materials of each bundle lists what the bundle is built from, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from infra.bundles.requirements import GROUPS, locked_requirements
from infra.supply.installed import releases_in
from infra.supply.licences import LICENCES
from infra.supply.sbom import bill_of, write_bills


@pytest.mark.parametrize("group", GROUPS)
def test_a_bill_lists_every_locked_release_of_its_bundle(group: str) -> None:
    bill = bill_of(group)
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.5")
    locked = releases_in(locked_requirements(group))
    listed = {(each["name"], each["version"]) for each in bill["components"]}
    assert listed == {(name, version) for name, versions in locked.items() for version in versions}


def test_every_component_has_a_package_url_a_hash_and_its_licence() -> None:
    for each in bill_of("numeric")["components"]:
        assert each["purl"] == f"pkg:pypi/{each['name']}@{each['version']}"
        assert all(one["hashes"][0]["alg"] == "SHA-256" for one in each["externalReferences"])
        assert each["licenses"] == [{"expression": LICENCES[each["name"]]}]


def test_the_file_holds_a_bill_for_every_bundle(tmp_path: Path) -> None:
    file = tmp_path / "new" / "sbom.json"
    write_bills(file)
    assert list(json.loads(file.read_text())) == list(GROUPS)
