"""One example of every code that does not come from the service, as it is really told.

docs/errors.md ends with them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.contract.raised import (
    by_guards,
    by_materialize,
    by_references,
    by_temporal,
    by_the_client,
    by_the_tools,
    by_typed_json,
)
from tests.contract.raised.showing import Place, Shown
from tests.support.moto_cloud import MotoCloud


@dataclass(frozen=True)
class Section:
    """``head`` is Markdown, ``examples`` are in the document's order."""

    head: str
    examples: Mapping[str, Shown]


SECTIONS = (
    Section(
        """## What a model is told

`session_datasets.feedback` makes of every exception, these problems among them, one text for a model and the same as
JSON: whether it was executed, the exception's name and its code, the detail without secrets, what was submitted (cut at
2,000 characters), near names, whether to try again, the next step, and a correlation id that finds the event in the
operator's log. It costs at most 200 tokens (800 bytes of UTF-8) besides what was submitted. A call that fails again is
told so, and asked not to be made again unchanged.

The codes below are those of guards, the two that stand for exceptions of other libraries, and the client's.
""",
        {**by_guards.EXAMPLES.shown, **by_the_client.EXAMPLES.shown},
    ),
    Section(
        """## What the tools answer

An agent's tools and its file system answer every refusal above in these words, and have some of their own.
""",
        by_the_tools.EXAMPLES.shown,
    ),
    Section(
        """## Rows that became no file

`session_datasets.materialize` raises these; nothing was saved then, and nothing registered.
""",
        by_materialize.EXAMPLES.shown,
    ),
    Section(
        """## References that were not followed

`session_datasets.boundary.references` raises these, for a value that was not written and a reference that was not
read. The exception's own `code` is the word that a program tells them apart by: `malformed_reference`, `wrong_store`,
`outside_store`, `not_found`, `file_missing`, `file_changed`, `unreadable_reference`, `hydrate_budget` and
`unsupported_frame`, in the order of these examples.
""",
        by_references.EXAMPLES.shown,
    ),
    Section(
        """## Typed JSON

`session_datasets.boundary.typed_json` raises these, each with its `code`, its `detail`, its `advice` and the `path` to
the place in the value.
""",
        by_typed_json.EXAMPLES.shown,
    ),
    Section(
        """## Payloads of Temporal

An `ApplicationError` of these types says why a payload did not cross by reference. One that is not retried fails the
workflow; the others are tried again, since another worker, a later moment or a new deployment may have them. Of what a
workflow itself sends, only PayloadTooLarge fails it; any other, PayloadNotKept too, fails its task, which is tried
again until the workflow times out or is terminated.
""",
        by_temporal.EXAMPLES.shown,
    ),
)
EXAMPLES: Mapping[str, Shown] = {code: shown for each in SECTIONS for code, shown in each.examples.items()}


def section(endpoint: str) -> str:
    """Markdown; every example happens on a deployment of its own on the server at ``endpoint``."""
    return "\n".join(part for each in SECTIONS for part in [each.head, *_shown(each, endpoint)])


def _shown(section: Section, endpoint: str) -> list[str]:
    return [f"### {code}\n\n```text\n{_happened(shown, endpoint)}\n```\n" for code, shown in section.examples.items()]


def _happened(shown: Shown, endpoint: str) -> str:
    with TemporaryDirectory() as folder:
        return shown(Place(MotoCloud(endpoint), Path(folder)))
