"""``session-datasets``: one command per verb, on whatever stack the environment points at."""

from __future__ import annotations

import base64
import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

try:
    import rich as _rich  # noqa: F401  (both come with the extra, so one check names it)
    import typer
    from typer.core import TyperGroup
except ImportError:
    raise SystemExit("The command line needs typer and rich. Run: pip install 'session-datasets[cli]'") from None

from session_datasets.cli import output, show
from session_datasets.cli.doctor import isolation
from session_datasets.cli.mcp import mcp
from session_datasets.cli.text import plain
from session_datasets.client.errors import SessionDatasetsError
from session_datasets.client.orchestrator import Orchestrator
from session_datasets.client.references import reference_of
from session_datasets.client.workspace import Workspace
from session_datasets.domain import limits
from session_datasets.domain.artifact import ARTIFACT_ID_PREFIX
from session_datasets.domain.files import LoadTarget
from session_datasets.domain.names import NODE_VERBS, Verb
from session_datasets.domain.page import PageFormat, Reduction
from session_datasets.domain.profile import Kind, ReadingHints
from session_datasets.domain.scope import ListScope
from session_datasets.wire.base import Answer


class _TellsProblems(TyperGroup):
    """A problem is an answer: it is printed, and the exit status is 1. A wrong command line exits with 2."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except (SessionDatasetsError, OSError) as error:
            output.print_problem(error, as_json=bool(ctx.obj))
            raise typer.Exit(1) from None


app = typer.Typer(
    cls=_TellsProblems,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help="Large data out of the agent's context: register a file once, pass on its id, read or load it elsewhere.",
    epilog='Begin with: eval "$(session-datasets open --owner me --conversation chat-1)"',
)


def _remember_json(context: typer.Context, wanted: bool) -> bool:
    """Keeps the wish where a problem is told, for that happens outside of the command."""
    context.find_root().obj = wanted
    return wanted


def _checked_reference(value: str) -> str:
    try:
        artifact_id = str(reference_of(value)["artifact_id"])
    except (TypeError, ValueError) as error:
        raise typer.BadParameter(plain(str(error))) from None
    if not artifact_id.startswith(ARTIFACT_ID_PREFIX):
        raise typer.BadParameter(
            f"'{plain(artifact_id)}' is no artifact id ({ARTIFACT_ID_PREFIX}...); `session-datasets list` shows them."
        )
    return value


def _nodes_verb(value: str) -> Verb:
    if value not in NODE_VERBS:
        raise typer.BadParameter(f"'{plain(value)}' is none of {', '.join(NODE_VERBS)}.")
    return Verb(value)


def _types(values: list[str]) -> dict[str, str]:
    """``column=type`` each; a column's name may hold the sign itself."""
    types: dict[str, str] = {}
    for value in values:
        column, sign, type_ = value.rpartition("=")
        if not sign or column in types:
            wrong = "No COLUMN=TYPE" if not sign else "A second type for a column"
            raise typer.BadParameter(f"{wrong}: {plain(value)}", param_hint="--type")
        types[column] = type_
    return types


# Least, greatest, default.
_TTL = (limits.SESSION_SECONDS_MIN, limits.SESSION_SECONDS_MAX, limits.SESSION_SECONDS_DEFAULT)
_LIST_LIMIT = (1, limits.LIST_LIMIT_MAX, limits.LIST_LIMIT_DEFAULT)
_OFFSET = (0, limits.OFFSET_MAX, 0)
_PAGE_ROWS = (1, limits.PAGE_ROWS_MAX, limits.PAGE_ROWS_DEFAULT)
_PAGE_BYTES = (limits.PAGE_BYTES_MIN, limits.PAGE_BYTES_MAX, limits.PAGE_BYTES_DEFAULT)
_POINTS = (limits.SERIES_POINTS_MIN, limits.SERIES_POINTS_MAX, limits.SERIES_POINTS_DEFAULT)


def _number(what: str, bounds: tuple[int, int, int]) -> Any:
    """An option that says its range and default. The service checks and defaults; it may be newer than this text."""
    least, greatest, default = bounds
    return typer.Option(help=f"{what} {least:,} to {greatest:,}; {default:,} when absent.")


AsJson = Annotated[bool, typer.Option("--json", callback=_remember_json, help="Print the service's answer as JSON.")]
Reference = Annotated[
    str, typer.Argument(callback=_checked_reference, help="An artifact id, or a reference as JSON.", show_default=False)
]
Columns = Annotated[list[str] | None, typer.Option("--column", "-c", help="A column to show; repeat for more.")]


@app.command("open", epilog='Example: eval "$(session-datasets open --owner me --run run-7 --node clean)"')
def open_(
    owner: Annotated[str, typer.Option(help="Tenant or user: nobody else sees the data.")],
    conversation: Annotated[
        str | None, typer.Option(help="The chat that the session belongs to. It, --run or both are needed.")
    ] = None,
    run: Annotated[
        str | None, typer.Option(help="The workflow run that the session belongs to. It, --conversation or both.")
    ] = None,
    node: Annotated[
        str | None, typer.Option(help="Name of the step that will hold the token; node when absent.")
    ] = None,
    ttl: Annotated[int | None, _number("Seconds until the session ends.", _TTL)] = None,
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


@app.command(epilog="Example: session-datasets register flights.csv --name flights --description 'All of 2013'")
def register(
    file: Annotated[Path, typer.Argument(help="The file to upload and make known.", show_default=False)],
    name: Annotated[str | None, typer.Option(help="Label of the artifact; the file's name when absent.")] = None,
    description: Annotated[str, typer.Option(help="What is in it, for whoever looks for it later.")] = "",
    kind: Annotated[Kind | None, typer.Option(help="What the rows mean.")] = None,
    made_from: Annotated[list[str] | None, typer.Option(help="Id of an artifact this one was made from.")] = None,
    type_: Annotated[
        list[str] | None,
        typer.Option(
            "--type",
            metavar="COLUMN=TYPE",
            help="Type of a column: string, bool, int64, double, decimal(p,s), date or timestamp; repeat for more.",
        ),
    ] = None,
    null: Annotated[list[str] | None, typer.Option(help="A text that means no value, such as NA; repeat.")] = None,
    delimiter: Annotated[str | None, typer.Option(help="Of a text file; detected when absent.")] = None,
    encoding: Annotated[str | None, typer.Option(help="Of a text file; detected when absent.")] = None,
    sheet: Annotated[str | None, typer.Option(help="Of a workbook; the first when absent.")] = None,
    request_token: Annotated[str | None, typer.Option(help="Makes a repeat of this command recognisable.")] = None,
    wait: Annotated[bool, typer.Option(help="Wait until a large file has been profiled.")] = True,
    as_json: AsJson = False,
) -> None:
    """Upload a file and make it known. Prints its id, what the service measured, and a preview."""
    hints = ReadingHints(_types(type_ or []), tuple(null or ()), delimiter, encoding, sheet)
    with output.register_bars(file.name, shown=not as_json) as (bar, profiling):
        answer = Workspace.from_env().register_artifact(
            file,
            name=name,
            description=description,
            kind=kind,
            lineage=made_from or (),
            hints=hints,
            request_token=request_token,
            progress=bar,
            wait=wait,
            profiling=profiling,
        )
    _print(answer, show.registered, as_json)


@app.command("list", epilog="Example: session-datasets list --name-contains flights")
def list_(
    scope: Annotated[ListScope | None, typer.Option(help="The conversation's, else the run's.")] = None,
    name_contains: Annotated[str | None, typer.Option(help="In the name or description.")] = None,
    kind: Annotated[Kind | None, typer.Option(help="Only of this kind.")] = None,
    limit: Annotated[int | None, _number("At most this many.", _LIST_LIMIT)] = None,
    cursor: Annotated[str | None, typer.Option(help="Where the listing before this one ended.")] = None,
    as_json: AsJson = False,
) -> None:
    """List what this session can reach, newest first."""
    answer = Workspace.from_env().list_page(
        scope=scope, name_contains=name_contains, kind=kind, limit=limit, cursor=cursor
    )
    _print(answer, show.listing, as_json)
    if answer.next_cursor and not as_json:
        typer.echo(f"Older ones follow with --cursor {answer.next_cursor}", err=True)


@app.command(epilog="Example: session-datasets describe art_01jf8z…")
def describe(reference: Reference, as_json: AsJson = False) -> None:
    """Show the whole record: schema, statistics, preview, origin."""
    _print(Workspace.from_env().describe_artifact(reference), show.description, as_json)


@app.command(epilog="Example: session-datasets rows art_01jf8z… --offset 1000 --limit 20 -c origin -c dest")
def rows(
    reference: Reference,
    offset: Annotated[int | None, _number("First row, counted from 0.", _OFFSET)] = None,
    limit: Annotated[
        int | None,
        _number(f"At most this many rows; up to {limits.ARROW_PAGE_ROWS_MAX:,} of format arrow, else", _PAGE_ROWS),
    ] = None,
    column: Columns = None,
    max_bytes: Annotated[int | None, _number("Bytes that the rows may take.", _PAGE_BYTES)] = None,
    format: Annotated[
        PageFormat, typer.Option(help="arrow writes the page as an Arrow IPC stream: redirect it to a file.")
    ] = PageFormat.JSON,
    as_json: AsJson = False,
) -> None:
    """Read one page of rows, and show it as a table or write it as an Arrow stream."""
    if format is PageFormat.ARROW and not as_json and _is_terminal():
        raise typer.BadParameter(
            "An Arrow stream is not for a terminal: redirect it to a file.", param_hint="--format arrow"
        )
    answer = Workspace.from_env().read_rows(
        reference, offset=offset, limit=limit, columns=column, max_bytes=max_bytes, format=format
    )
    if answer.arrow is not None and not as_json:
        typer.echo(base64.b64decode(answer.arrow), nl=False)
        typer.echo(show.page_line(answer), err=True)
        return
    _print(answer, show.page, as_json)


@app.command(epilog="Example: session-datasets columns art_01jf8z… dep_delay arr_delay --x time_hour --max-points 500")
def columns(
    reference: Reference,
    names: Annotated[list[str], typer.Argument(help="The columns to plot.", show_default=False)],
    x: Annotated[str | None, typer.Option("--x", help="A column to plot over; the row number when absent.")] = None,
    offset: Annotated[int | None, _number("First row of the window.", _OFFSET)] = None,
    rows: Annotated[int | None, typer.Option(help="Rows of the window; to the end when absent.")] = None,
    max_points: Annotated[int | None, _number("Values drawn of each column.", _POINTS)] = None,
    method: Annotated[
        Reduction,
        typer.Option(
            help="For more rows than points: auto has least and greatest per bucket, lttb and m4 choose rows."
        ),
    ] = Reduction.AUTO,
    as_json: AsJson = False,
) -> None:
    """Read the series of a chart and draw their course."""
    answer = Workspace.from_env().read_columns(
        reference, names, x=x, offset=offset, rows=rows, max_points=max_points, method=method
    )
    _print(answer, show.series, as_json)


@app.command(epilog="Example: session-datasets load art_01jf8z… --to data/flights.csv")
def load(
    reference: Reference,
    to: Annotated[Path | None, typer.Option(help="Where to, inside the current directory.")] = None,
    overwrite: Annotated[bool, typer.Option(help="Replace a file of that name, instead of a numbered one.")] = False,
    into: Annotated[LoadTarget, typer.Option(help="The current directory, or this session's own workspace.")] = (
        LoadTarget.WORKING_DIRECTORY
    ),
    as_json: AsJson = False,
) -> None:
    """Fetch the file itself, checked byte for byte. Goes on where an interrupted load stopped. Prints its path."""
    workspace = Workspace.from_env()
    if into is LoadTarget.WORKSPACE:
        copy = workspace.load_artifact(reference, into="workspace")
        _print(copy, lambda answer: show.whole(str(answer.key)), as_json)
        return
    with output.transfer_bar("Loading", shown=not as_json) as bar:
        path = workspace.load_artifact(reference, to, overwrite=overwrite, progress=bar)
    if as_json:
        output.print_json({"path": str(path)})
    else:
        typer.echo(plain(str(path)))


_OWNER = typer.Option(help="Tenant or user that it belongs to.")
_RELEASE = typer.Option(
    help="End it although sessions are open in it. Only you can know that their nodes have ended; what they still try "
    "to write is refused."
)
_YES = typer.Option("--yes", "-y", help="Do not ask before anything is removed.")


@app.command("end-conversation", epilog="Example: session-datasets end-conversation chat-1 --owner me")
def end_conversation(
    conversation: Annotated[str, typer.Argument(help="Id of the chat.", show_default=False)],
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
    _print(removed, lambda counts: show.removed(counts, ended), as_json)


@app.command("end-run", epilog="Example: session-datasets end-run run-7 --owner me --yes")
def end_run(
    run: Annotated[str, typer.Argument(help="Id of the workflow run.", show_default=False)],
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
    _print(removed, lambda counts: show.removed(counts, ended), as_json)


doctor = typer.Typer(no_args_is_help=True, help="Try a deployed stack from outside, and tell what held.")
doctor.command("isolation", epilog="Example: session-datasets doctor isolation --stack session-datasets")(isolation)
app.add_typer(doctor, name="doctor")
app.command(epilog="Example: session-datasets mcp --directory work")(mcp)


def _confirm(yes: bool, what: str) -> None:
    """On standard error, so that the answer of --json stays the only output."""
    if not yes:
        final = "It can not be taken back, and no session opens in it again."
        typer.confirm(f"Remove everything that {plain(what)} holds? {final}", abort=True, err=True)


def _is_terminal() -> bool:
    return sys.stdout.isatty()


def _print(answer: Any, shown: Any, as_json: bool) -> None:
    if as_json:
        output.print_json(answer.to_json() if isinstance(answer, Answer) else answer.model_dump(mode="json"))
    else:
        output.print_result(shown(answer))
