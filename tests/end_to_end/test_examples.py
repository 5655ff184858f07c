"""Every program under shared/examples runs as it stands and prints what its expected.txt says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from infra.local import example
from tests.support.deployed_cloud import DeployedCloud


def first_missing(expected: list[str], printed: list[str]) -> str | None:
    """The first expected line that does not follow the ones before it; ``...`` in it stands for any text."""
    lines = iter(printed)
    for wanted in expected:
        pattern = re.compile(".*".join(map(re.escape, wanted.split("..."))))
        if not any(pattern.fullmatch(line) for line in lines):
            return wanted
    return None


# What an emulator lacks for an example, in its own words: LocalStack runs state machines with the help of Java.
LACKING = {("localstack", "step_functions"): "No module named 'jpype'"}


@pytest.mark.parametrize("name", example.names())
def test_it_prints_what_it_promises(
    cloud: DeployedCloud, capfd: pytest.CaptureFixture[str], request: pytest.FixtureRequest, name: str
) -> None:
    program = example.found(name)
    expected = [line for line in (program.parent / "expected.txt").read_text().splitlines() if line.strip()]
    assert expected != []
    status = example.run(program, cloud.stack)
    printed, complained = capfd.readouterr()
    if lacking := LACKING.get((request.node.callspec.params["stack"], name)):
        assert (status, lacking in complained) == (1, True), printed + complained
        return
    assert status == 0, printed + complained
    assert first_missing(expected, printed.splitlines()) is None, printed + complained


@pytest.mark.parametrize("name", example.names())
def test_its_readme_gives_the_one_command_that_runs_it(name: str) -> None:
    readme = (example.EXAMPLES / name / "README.md").read_text()
    assert f"\n    make example NAME={name}\n" in readme
    assert readme.startswith("# ")


def test_the_list_of_examples_names_every_folder_and_no_other() -> None:
    linked = re.findall(r"\]\((\w+)/README\.md\)", (example.EXAMPLES / "README.md").read_text())
    assert sorted(linked) == example.names()


@pytest.mark.parametrize(
    ("expected", "printed", "missing"),
    [
        (["a", "b"], ["a", "x", "b"], None),
        (["a", "b"], ["b", "a"], "b"),
        (["a ... c"], ["a b c"], None),
        (["a ... c"], ["a b d"], "a ... c"),
        (["a", "a"], ["a"], "a"),
        (["1.5"], ["1x5"], "1.5"),
    ],
)
def test_expected_lines_are_looked_for_in_their_order(
    expected: list[str], printed: list[str], missing: str | None
) -> None:
    assert first_missing(expected, printed) == missing


def test_a_folder_without_a_program_is_no_example(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "main.py").touch()
    assert example.names(tmp_path) == ["real"]
