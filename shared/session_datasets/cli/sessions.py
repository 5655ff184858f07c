"""``session-datasets open``: an orchestrator's command, for the shell of a node."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

from session_datasets.cli import output
from session_datasets.cli.options import AsJson, number
from session_datasets.cli.text import plain
from session_datasets.client.orchestrator import Orchestrator
from session_datasets.domain import limits
from session_datasets.domain.names import NODE_VERBS, Verb

# Least, greatest, default.
_TTL = (limits.SESSION_SECONDS_MIN, limits.SESSION_SECONDS_MAX, limits.SESSION_SECONDS_DEFAULT)


def _nodes_verb(value: str) -> Verb:
    if value not in NODE_VERBS:
        raise typer.BadParameter(f"'{plain(value)}' is none of {', '.join(NODE_VERBS)}.")
    return Verb(value)


def open_(
    owner: Annotated[str, typer.Option(metavar="NAME", help="Tenant or user: nobody else sees the data.")],
    conversation: Annotated[
        str | None,
        typer.Option(metavar="ID", help="The chat that the session belongs to. It, --run or both are needed."),
    ] = None,
    run: Annotated[
        str | None,
        typer.Option(metavar="ID", help="The workflow run that the session belongs to. It, --conversation or both."),
    ] = None,
    node: Annotated[
        str | None, typer.Option(metavar="NAME", help="Name of the step that will hold the token; node when absent.")
    ] = None,
    ttl: Annotated[int | None, number("Seconds until the session ends.", _TTL)] = None,
    verb: Annotated[
        list[Verb] | None,
        typer.Option(
            parser=_nodes_verb,
            metavar="VERB",
            help=f"Allow only this verb; repeat for more. One of {', '.join(NODE_VERBS)}.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Open a session and print the shell commands that put its token into the environment.

    The session belongs to a conversation, to a run or to both: --conversation or --run is needed.
    It takes the orchestrator's AWS credentials; a node's own do not open sessions.
    """
    if not (conversation or run):
        raise typer.BadParameter("One of them is needed, or both.", param_hint="--conversation / --run")
    session = Orchestrator.from_env().open_session(
        owner=owner, conversation_id=conversation, run_id=run, node=node, ttl_seconds=ttl, verbs=verb
    )
    if as_json:
        known = {"token": session.token, "session_id": session.session_id, "workspace": session.workspace_prefix}
        output.print_json(known | {"expires_at": session.expires_at.isoformat()})
        return
    for name, value in session.environment().items():
        typer.echo(f"export {name}={shlex.quote(value)}")
    until = session.expires_at.isoformat(sep=" ", timespec="seconds")
    typer.echo(f"# Session {session.session_id}, until {until}.", err=True)
