"""What make passes on to the commands behind it."""

from __future__ import annotations

import os
import subprocess

import pytest

from infra.local.places import ROOT
from session_datasets.domain.names import DEFAULT_STACK

CDK = "-m infra.local cdk"


def commands(*arguments: str) -> str:
    """What make would run, one command a line."""
    # Without what an outer make passes down.
    surroundings = {"PATH": os.environ["PATH"]}
    done = subprocess.run(
        ["make", "--dry-run", *arguments], cwd=ROOT, env=surroundings, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        (["synth"], f"{CDK} synth --quiet --context env=sandbox"),
        (["synth", "ENV=production"], f"{CDK} synth --quiet --context env=production"),
        (["synth", "STACK=second"], f'{CDK} synth --quiet --context env=sandbox --context "stack=second"'),
        (["deploy", "ENV=production"], f"{CDK} deploy --context env=production"),
        (["deploy", "ENV=sandbox", "STACK=second"], f'{CDK} deploy --context env=sandbox --context "stack=second"'),
        (["bootstrap"], f"{CDK} bootstrap --context env=sandbox"),
        (["example"], '-m infra.local.example ""'),
        (["example", "NAME=two_node_handoff"], '-m infra.local.example "two_node_handoff"'),
        (
            ["example", "NAME=two_node_handoff", "STACK=second"],
            '-m infra.local.example "two_node_handoff" --stack "second"',
        ),
        (["bench"], "-m tests.bench"),
        (["bench", "ROWS=1000", "ONLY=page,chart"], '-m tests.bench --rows 1000 --only "page,chart"'),
        (["bench", "FILE=my file.csv"], '-m tests.bench --file "my file.csv"'),
        (["soak"], "-m tests.soak"),
        (["soak", "MINUTES=0.5", "CALLERS=8"], '-m tests.soak --minutes "0.5" --callers "8"'),
        (["audit"], "-m infra.supply audit"),
        (["audit", "ONLY=deployed"], "-m infra.supply audit-deployed"),
        (["prune"], "-m infra.local prune"),
        (["redrive", "QUEUE=events"], '-m infra.local redrive "events"'),
        (["redrive", "QUEUE=audits", "STACK=second"], '-m infra.local redrive "audits" --stack "second"'),
        (["audit-files"], "-m infra.local audit-files"),
        (["audit-files", "STACK=second"], '-m infra.local audit-files --stack "second"'),
        (["prune", "STACK=second"], '-m infra.local prune --stack "second"'),
    ],
)
def test_make(arguments: list[str], command: str) -> None:
    lines = [line.rstrip() for line in commands(*arguments).splitlines()]
    assert [line for line in lines if line.endswith(command)] != []


def test_uv_shows_its_progress_where_somebody_watches() -> None:
    told = commands("--what-if", "uv.lock", ".venv/made")
    assert "uv sync --frozen $([ -t 2 ] || echo --quiet) --no-python-downloads" in told


def test_a_deploy_first_compares_with_what_stands() -> None:
    told = commands("deploy", "ENV=sandbox", "STACK=second")
    compare = told.index('-m infra.local compare --env sandbox --stack "second"')
    assert compare < told.index(f"{CDK} deploy")


@pytest.mark.parametrize(
    ("target", "where"),
    [
        ("deploy", []),
        ("deploy", ["ENV=local"]),
        ("deploy", ["ENV=staging"]),
        ("synth", ["ENV=staging"]),
        ("bootstrap", ["ENV=staging"]),
    ],
)
def test_what_is_for_a_real_account_refuses_another_environment(target: str, where: list[str]) -> None:
    refused = subprocess.run(
        ["make", "--old-file", ".venv/made", target, *where],
        cwd=ROOT, env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert refused.returncode == 2
    assert f"Say where: make {target} ENV=sandbox or ENV=production" in refused.stderr


@pytest.mark.parametrize("queue", [[], ["QUEUE=letters"]], ids=["none", "no such"])
def test_a_redrive_of_no_known_queue_says_which_there_are(queue: list[str]) -> None:
    refused = subprocess.run(
        ["make", "--old-file", ".venv/made", "redrive", *queue],
        cwd=ROOT, env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert refused.returncode == 2
    assert refused.stderr.startswith("Say which: make redrive QUEUE=profiles|audits|events")


@pytest.mark.parametrize(("stack", "name"), [([], DEFAULT_STACK), (["STACK=second"], "second")])
def test_synth_ends_with_where_the_template_is(stack: list[str], name: str) -> None:
    last = commands("synth", *stack).splitlines()[-1]
    assert last == f'echo "cdk-nag passed. The template: cdk.out/{name}.template.json"'
