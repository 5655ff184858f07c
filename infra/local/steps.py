"""What a deployment is doing, for whoever waits for it: told from the CDK's own lines."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console

# Called with each step, and with how far it is; the latter is empty when that is not known.
OnStep = Callable[[str, str], None]

STARTING = "starting the embedded AWS"
BOOTSTRAPPING = "preparing the account for the CDK"
SYNTHESIZING = "making the functions' bundles and the template"
PUBLISHING = "uploading the functions"
DEPLOYING = "creating and updating resources"

_PUBLISHED = re.compile(r": (start|success): (Building|Built|Publishing|Published) ")
# The stack, and how many of all its resources are done.
_RESOURCES = re.compile(r"^[\w-]+ \| +(\d+)/(\d+) \| ")


def step_of(line: str) -> tuple[str, str] | None:
    """The step that one line of the CDK's deploy belongs to, and how far it is; None for a line that tells neither."""
    if found := _RESOURCES.match(line):
        return DEPLOYING, f"{found[1]} of {found[2]}"
    return (PUBLISHING, "") if _PUBLISHED.search(line) else None


def nobody(_step: str, _how_far: str) -> None:
    """Where nobody waits."""


@contextmanager
def steps_on(console: Console) -> Iterator[OnStep]:
    """A line for each step when it is over, with its seconds; in a terminal a spinner with the present one besides.

    Elsewhere the line comes when the step begins: a log that says nothing for a minute looks like one that hangs.
    """
    standing, began = "", 0.0
    with console.status("") as status:

        def over() -> None:
            if standing and console.is_terminal:
                console.print(f"· {standing} ({time.perf_counter() - began:.1f} s)", style="dim", markup=False)

        def tell(step: str, how_far: str) -> None:
            nonlocal standing, began
            if step != standing:
                over()
                standing, began = step, time.perf_counter()
                if not console.is_terminal:
                    console.print(f"· {step} ...", markup=False)
            status.update(f"{step[0].upper()}{step[1:]}" + (f": {how_far}" if how_far else ""))

        yield tell
        over()


def on_standard_error() -> Console:
    return Console(file=sys.stderr, highlight=False)
