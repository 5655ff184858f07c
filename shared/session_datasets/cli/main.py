"""``session-datasets``: one command per verb, on whatever stack the environment points at."""

from __future__ import annotations

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

app.command("open", epilog='Example: eval "$(session-datasets open --owner me --run run-7 --node clean)"')(open_)
app.command(epilog="Example: session-datasets register flights.csv --name flights --description 'All of 2013'")(
    register
)
app.command("list", epilog="Example: session-datasets list --name-contains flights")(list_)
app.command(epilog="Example: session-datasets describe art_01jf8z…")(describe)
app.command(epilog="Example: session-datasets rows art_01jf8z… --offset 1000 --limit 20 -c origin -c dest")(rows)
app.command(epilog="Example: session-datasets columns art_01jf8z… dep_delay arr_delay --x time_hour --max-points 500")(
    columns
)
app.command(epilog="Example: session-datasets load art_01jf8z… --to data/flights.csv")(load)
app.command("end-conversation", epilog="Example: session-datasets end-conversation chat-1 --owner me")(end_conversation)
app.command("end-run", epilog="Example: session-datasets end-run run-7 --owner me --yes")(end_run)
app.command(epilog="Example: session-datasets mcp --directory work")(mcp)

doctor = typer.Typer(no_args_is_help=True, help="Try a deployed stack from outside, and tell what held.")
doctor.command("isolation", epilog="Example: session-datasets doctor isolation --stack session-datasets")(isolation)
app.add_typer(doctor, name="doctor")
