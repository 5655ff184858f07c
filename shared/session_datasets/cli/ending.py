"""``session-datasets end-conversation`` and ``end-run``: an orchestrator's commands, which ask before they remove."""

from __future__ import annotations

from typing import Annotated

import typer

from session_datasets.cli import output, show
from session_datasets.cli.options import AsJson
from session_datasets.cli.text import plain
from session_datasets.client.orchestrator import Orchestrator

_OWNER = typer.Option(metavar="NAME", help="Tenant or user that it belongs to.")
_RELEASE = typer.Option(
    help="End it although sessions are open in it. Only you can know that their nodes have ended; what they still try "
    "to write is refused."
)
_YES = typer.Option("--yes", "-y", help="Do not ask before anything is removed.")


def end_conversation(
    conversation: Annotated[str, typer.Argument(metavar="CONVERSATION", help="Id of the chat.", show_default=False)],
    owner: Annotated[str, _OWNER],
    release_leases: Annotated[bool, _RELEASE] = False,
    yes: Annotated[bool, _YES] = False,
    as_json: AsJson = False,
) -> None:
    """End a chat for good and remove what its workspace holds: records, files in all their versions, uploads.

    Artifacts that nodes of runs made for the chat stay with their run. While sessions are open in the chat nothing is
    removed, and you are told until when they are. Interrupted, or run again, it goes on where it was.
    It takes the orchestrator's AWS credentials.
    """
    ended = f"conversation {conversation} of {owner}"
    _confirm(yes, ended)
    with output.removal_line(shown=not as_json) as told:
        removed = Orchestrator.from_env().end_conversation(
            conversation, owner=owner, release_leases=release_leases, progress=told
        )
    output.print_answer(removed, lambda counts: show.removed(counts, ended), as_json)


def end_run(
    run: Annotated[str, typer.Argument(metavar="RUN", help="Id of the workflow run.", show_default=False)],
    owner: Annotated[str, _OWNER],
    release_leases: Annotated[bool, _RELEASE] = False,
    yes: Annotated[bool, _YES] = False,
    as_json: AsJson = False,
) -> None:
    """End a run for good and remove what its nodes left: records, files in all their versions, uploads.

    While sessions are open in the run nothing is removed, and you are told until when they are. Interrupted, or run
    again, it goes on where it was. It takes the orchestrator's AWS credentials.
    """
    ended = f"run {run} of {owner}"
    _confirm(yes, ended)
    with output.removal_line(shown=not as_json) as told:
        removed = Orchestrator.from_env().end_run(run, owner=owner, release_leases=release_leases, progress=told)
    output.print_answer(removed, lambda counts: show.removed(counts, ended), as_json)


def _confirm(yes: bool, what: str) -> None:
    """On standard error, so that the answer of --json stays the only output."""
    if not yes:
        final = "It can not be taken back, and no session opens in it again."
        typer.confirm(f"Remove everything that {plain(what)} holds? {final}", abort=True, err=True)
