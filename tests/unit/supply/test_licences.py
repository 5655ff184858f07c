"""What is deployed or installed on nodes has a licence that somebody looked up and that is taken."""

from __future__ import annotations

from email.message import Message
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

import pytest

from infra.supply.installed import deployed
from infra.supply.licences import LICENCES, document, not_taken, said_by

DOCUMENT = Path(__file__).parents[3] / "docs" / "licences.md"
DEPLOYED = deployed()
NAMES = sorted({name for releases in DEPLOYED.values() for name in releases})


def metadata_of(**headers: str) -> Message:
    message = Message()
    for name, value in headers.items():
        for each in value.split("|"):
            message[name.replace("_", "-")] = each
    return message


def test_exactly_what_is_deployed_is_in_the_table() -> None:
    assert sorted(LICENCES) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_its_licence_is_taken(name: str) -> None:
    assert not_taken(LICENCES[name]) == set()


@pytest.mark.parametrize("name", NAMES)
def test_the_package_itself_names_no_licence_that_is_not_taken(name: str) -> None:
    try:
        said = said_by(metadata(name))
    except PackageNotFoundError:
        # For another system than this one: Windows, or a browser.
        assert name in {"colorama", "httpx2-jsfetch", "pywin32", "tzdata"}
        return
    # All that a package lists is looked at, also where it offers a choice.
    assert not_taken(said) <= ({"Dual"} if name == "python-dateutil" else set()), said


def test_the_document_is_made_from_lock_and_table() -> None:
    assert DOCUMENT.read_text() == document(DEPLOYED)


@pytest.mark.parametrize(
    ("expression", "refused"),
    [
        ("MIT", set()),
        ("GPL-3.0-only", {"GPL-3.0-only"}),
        ("AGPL-3.0-or-later", {"AGPL-3.0-or-later"}),
        ("MIT AND LGPL-2.1-only", {"LGPL-2.1-only"}),
        ("GPL-2.0-only OR MIT", set()),
        ("MPL-2.0 AND (Apache-2.0 OR GPL-2.0-only)", set()),
        ("MPL-2.0 AND (SSPL-1.0 OR GPL-2.0-only)", {"SSPL-1.0"}),
        ("MIT OR GPL-2.0-only AND GPL-3.0-only", set()),
        ("", {"nothing"}),
    ],
)
def test_a_licence_is_refused_unless_a_taken_one_can_be_chosen(expression: str, refused: set[str]) -> None:
    assert not_taken(expression) == refused


@pytest.mark.parametrize(
    ("headers", "expression"),
    [
        ({"License_Expression": "MIT", "License": "a long text"}, "MIT"),
        ({"License": "Apache License 2.0"}, "Apache-2.0"),
        ({"License": "x", "Classifier": "License :: OSI Approved :: MIT License"}, "MIT"),
        ({"License": "GNU General Public License v3"}, "GNU General Public License v3"),
    ],
)
def test_what_a_package_says_of_itself_is_read_as_spdx(headers: dict[str, str], expression: str) -> None:
    assert said_by(metadata_of(**headers)) == expression
