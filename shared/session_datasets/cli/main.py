"""``session-datasets``: one command per verb, on whatever stack the environment points at."""

from __future__ import annotations

import inspect
from collections.abc import Callable

try:
    import rich as _rich  # noqa: F401  (both come with the extra, so one check names it)
    import typer
except ImportError:
    raise SystemExit("The command line needs typer and rich. Run: pip install 'session-datasets[cli]'") from None

from session_datasets.cli.doctor import isolation
from session_datasets.cli.ending import end_conversation, end_run
from session_datasets.cli.finding import describe, list_
from session_datasets.cli.group import TellsProblems
from session_datasets.cli.loading import load
from session_datasets.cli.mcp import mcp
from session_datasets.cli.reading import columns, rows
from session_datasets.cli.registering import register
from session_datasets.cli.sessions import open_

app = typer.Typer(
    cls=TellsProblems,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help="Large data out of the agent's context: register a file once, pass on its id, read or load it elsewhere.",
    epilog='Begin with: eval "$(session-datasets open --owner me --conversation chat-1)"',
)


def _command(group: typer.Typer, function: Callable[..., None], example: str, name: str | None = None) -> None:
    """What it says of itself is the docstring. A paragraph of it is one line: rich keeps the line ends of any but the
    first, and breaks the lines again."""
    paragraphs = (inspect.getdoc(function) or "").split("\n\n")
    text = "\n\n".join(" ".join(each.split("\n")) for each in paragraphs)
    group.command(name, help=text, epilog=f"Example: {example}")(function)


_command(app, open_, 'eval "$(session-datasets open --owner me --run run-7 --node clean)"', "open")
_command(app, register, "session-datasets register flights.csv --name flights --description 'All of 2013'")
_command(app, list_, "session-datasets list --name-contains flights", "list")
_command(app, describe, "session-datasets describe art_01jf8z…")
_command(app, rows, "session-datasets rows art_01jf8z… --offset 1000 --limit 20 -c origin -c dest")
_command(app, columns, "session-datasets columns art_01jf8z… dep_delay arr_delay --x time_hour --max-points 500")
_command(app, load, "session-datasets load art_01jf8z… --to data/flights.csv")
_command(app, end_conversation, "session-datasets end-conversation chat-1 --owner me", "end-conversation")
_command(app, end_run, "session-datasets end-run run-7 --owner me --yes", "end-run")
_command(app, mcp, "session-datasets mcp --directory work")

doctor = typer.Typer(no_args_is_help=True, help="Try a deployed stack from outside, and tell what held.")
_command(doctor, isolation, "session-datasets doctor isolation --stack session-datasets", "isolation")
app.add_typer(doctor, name="doctor")
