"""``session-datasets doctor``: tries a deployed stack, and tells what held."""

from __future__ import annotations

import os
from typing import Annotated

import typer
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from session_datasets.cli import output
from session_datasets.cli.text import plain
from session_datasets.client.doctor.attempt import Attempt, Findings, Verdict
from session_datasets.client.doctor.clients import client_of
from session_datasets.client.doctor.isolation import examined
from session_datasets.client.surroundings import Surroundings
from session_datasets.client.transport import DeployedTransport
from session_datasets.domain.names import ENV_STACK

_STYLES = {Verdict.HELD: "green", Verdict.GOT_THROUGH: "bold red", Verdict.UNTRIED: "yellow"}
_UNKNOWN = 3
_NOT_ENFORCED = (
    "This cloud enforces no policies, as an emulator on a laptop: only what the functions themselves refuse was tried. "
    "Examine a stack in an account."
)


def isolation(
    context: typer.Context,
    stack: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="The deployed stack; the one of the environment when absent.", show_default=False
        ),
    ] = None,
    node_profile: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="AWS profile with a node's credentials, to try that they open and end nothing."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print every attempt as JSON.")] = False,
) -> None:
    """Try to cross from one owner, run or verb to another on a deployed stack; every attempt must be refused.

    Sessions of two owners who never existed are opened, and one registers a small file. Then the others try to get at
    it: through the doors, where the answer must be the one for an id that does not exist, and below them, where S3 and
    DynamoDB must deny the credentials with which each function works. All that was made is removed at the end.

    It takes credentials that may invoke every function (an orchestrator's and a node's together) and, to try below the
    doors, that the stack was deployed to trust: -c operator=ARN. What could not be tried is said, and is no pass.

    An emulator that enforces no policies, as the cloud of make up is one, is tried at its doors only.

    Exit status: 0 when everything that was tried held, 1 when anything got through, 3 when the doors held and no
    policies are enforced, so that nothing is known of the rest.
    """
    context.find_root().obj = as_json
    surroundings = Surroundings.of({**os.environ, **({ENV_STACK: stack} if stack else {})})
    functions = client_of("lambda", profile=node_profile) if node_profile else None
    transport = DeployedTransport(surroundings.stack, surroundings.qualifier)
    with output.examination_line(shown=not as_json) as told:
        findings = examined(transport, surroundings.stack, client_of, functions, told)
    if as_json:
        output.print_json(_as_json(findings))
    else:
        output.print_result(_shown(findings))
    if not findings.holds:
        raise typer.Exit(1)
    if not findings.enforced:
        raise typer.Exit(_UNKNOWN)


def _shown(findings: Findings) -> RenderableType:
    table = Table("", "who", "tried", "expected", "came", box=None, pad_edge=False)
    for each in findings.attempts:
        table.add_row(Text(each.verdict, style=_STYLES[each.verdict]), *_cells(each))
    return Group(table, Text(), *_summary(findings))


def _cells(each: Attempt) -> list[Text]:
    return [Text(plain(text)) for text in (each.who, each.what, each.expected, each.came)]


def _summary(findings: Findings) -> list[Text]:
    held, through, untried = (len(findings.of(each)) for each in (Verdict.HELD, Verdict.GOT_THROUGH, Verdict.UNTRIED))
    lines = [Text(f"{held} held, {through} got through, {untried} could not be tried.", style="bold")]
    if not findings.enforced:
        lines.append(Text(_NOT_ENFORCED, style="yellow"))
    lines += [Text(f"Not removed: {plain(left)}", style="yellow") for left in findings.left]
    return lines


def _as_json(findings: Findings) -> dict[str, object]:
    attempts = [
        {
            "who": each.who,
            "what": each.what,
            "expected": each.expected,
            "came": each.came,
            "verdict": each.verdict.value,
        }
        for each in findings.attempts
    ]
    return {"holds": findings.holds, "attempts": attempts, "left": list(findings.left), "enforced": findings.enforced}
