"""register, list, describe and load, told to a model."""

from __future__ import annotations

from datetime import UTC
from pathlib import Path
from typing import Any

from session_datasets.client.errors import WaitedTooLongError
from session_datasets.client.references import artifact_id_of
from session_datasets.client.workspace import Workspace
from session_datasets.domain.artifact import Status
from session_datasets.domain.quoting import in_lines, word
from session_datasets.tools.answers import Budgets, ToolAnswer, json_text, most_that_fits
from session_datasets.tools.arguments import DescribeArguments, ListArguments, LoadArguments, RegisterArguments
from session_datasets.tools.files import file_inside
from session_datasets.tools.fitting import (
    COLUMN_NAME_BYTES,
    NAME_BYTES,
    NOTE_BYTES,
    clipped,
    clipped_cell,
    one_line,
    plural,
    some_of,
)
from session_datasets.wire.answers import (
    ArtifactFields,
    DescribeArtifactAnswer,
    ProfilePart,
    RegisterArtifactAnswer,
    SummaryPart,
)

# Seconds that a registration waits for the profile of a large file: no longer than a model is kept waiting by any tool.
PROFILE_WAIT_SECONDS = 20
# Bytes of a name in a listing that has no room for more: enough to tell two apart.
_LISTED_BYTES_MIN = 8
_LISTED_BYTES_MAX = 1_000
# Ids that a description names of what an artifact was made from.
_LINEAGE_TOLD = 5
# Bytes of a column's least and greatest value.
_EXTREME_BYTES = 60
_COLUMN_FIELDS = ("name", "type", "nulls", "least", "greatest", "distinct")


def register_artifact(workspace: Workspace, arguments: RegisterArguments, budgets: Budgets) -> ToolAnswer:
    file = file_inside(workspace.directory, arguments.path)
    registered = workspace.register_artifact(
        file,
        name=arguments.name,
        description=arguments.description,
        kind=arguments.kind,
        lineage=[artifact_id_of(each) for each in arguments.made_from],
        wait=False,
    )
    answer = _profiled(workspace, registered)
    columns = answer.profile.columns if answer.profile else []
    everything = answer.profile.shape.columns if answer.profile else 0
    facts = _facts(answer)
    first = f"{'Registered' if registered.created else 'Already registered'} {_titled(answer)}."

    # A column costs a token at least, so no more of them than tokens are looked at.
    shown = [
        [clipped(each.name, COLUMN_NAME_BYTES), clipped(each.type, COLUMN_NAME_BYTES)]
        for each in columns[: budgets.register]
    ]

    def told(count: int) -> ToolAnswer:
        lines = [first, *_notes(answer)]
        structured = {**facts, "created": registered.created}
        if columns:
            pairs = ", ".join(f"{word(name)} {type_}" for name, type_ in shown[:count])
            lines.insert(1, f"Columns: {pairs}{_more(everything - count, 'column', 'describe_artifact', count)}")
            structured |= {"columns": shown[:count]} | _left_out(everything - count)
        return ToolAnswer(in_lines(lines), structured)

    return most_that_fits(len(shown), told, budgets.register)


def list_artifacts(workspace: Workspace, arguments: ListArguments, budgets: Budgets) -> ToolAnswer:
    page = workspace.list_page(
        name_contains=arguments.name_contains,
        kind=arguments.kind,
        limit=arguments.limit,
        cursor=arguments.cursor,
    )
    found = page.artifacts
    follow = {"next_cursor": page.next_cursor} if page.next_cursor else {}
    if not found:
        filtered = arguments.name_contains or arguments.kind
        why = "No artifact matches; list without filters to see all." if filtered else "Nothing is registered yet."
        end = [f"Older ones follow: call list_artifacts with cursor {page.next_cursor}"] if page.next_cursor else []
        return ToolAnswer(in_lines([why, *end]), {"artifacts": [], **follow}, bulky=True)

    def told(most: int) -> ToolAnswer:
        rows = [_listed(each, most) for each in found]
        lines = [f"{plural(len(found), 'artifact')}, newest first: artifact_id | name | data | description"]
        lines += [" | ".join(filter(None, row)) for row in rows]
        if page.next_cursor:
            lines.append(f"... older ones; call list_artifacts with cursor {page.next_cursor}")
        fields = ["artifact_id", "name", "data", "description"]
        return ToolAnswer(in_lines(lines), {"fields": fields, "artifacts": rows, **follow}, bulky=True)

    return most_that_fits(_LISTED_BYTES_MAX, told, budgets.listing, least=_LISTED_BYTES_MIN)


def describe_artifact(workspace: Workspace, arguments: DescribeArguments, budgets: Budgets) -> ToolAnswer:
    answer = workspace.describe_artifact(arguments.artifact_id)
    head, facts = _head(answer)
    profile, first = answer.profile, arguments.first_column
    if profile is None:
        return ToolAnswer(in_lines([*head, *_notes(answer)]), facts, bulky=True)
    rows = _column_rows(profile, first, budgets.describe)
    everything = profile.shape.columns

    def told(count: int) -> ToolAnswer:
        following = first + count
        lines = [*head, *_notes(answer)]
        structured = {**facts, "fields": list(_COLUMN_FIELDS), "columns": rows[:count]}
        lines.append(f"Columns from {first}, each {json_text(_COLUMN_FIELDS)}:" if rows else _beyond(first, everything))
        lines += [json_text(row) for row in rows[:count]]
        if more := max(everything - following, 0) if rows else 0:
            reach = f"call describe_artifact with first_column {following}"
            # What the service leaves out of its own longest answer is in the file only.
            lines.append(
                f"... {plural(more, 'more column')}; {reach if following < len(profile.columns) else 'load the file'}"
            )
            structured |= {"columns_left_out": more, "next_first_column": following}
        return ToolAnswer(in_lines(lines), structured, bulky=True)

    return most_that_fits(len(rows), told, budgets.describe)


def load_artifact(workspace: Workspace, arguments: LoadArguments, budgets: Budgets) -> ToolAnswer:
    path = workspace.load_artifact(arguments.artifact_id, arguments.to)
    told = _relative(path, workspace.directory)
    size = path.stat().st_size
    return ToolAnswer(in_lines([f"Loaded {size:,} bytes to {told}"]), {"path": told, "bytes": size})


def _profiled(workspace: Workspace, registered: RegisterArtifactAnswer) -> ArtifactFields:
    """With its profile, if that is made soon; a model goes on with other things meanwhile."""
    if registered.status != Status.PROFILING:
        return registered
    try:
        return workspace.wait(registered, PROFILE_WAIT_SECONDS)
    except WaitedTooLongError:
        return registered


def _relative(path: Path, directory: Path) -> str:
    return path.relative_to(directory).as_posix() if path.is_relative_to(directory) else path.name


def _titled(answer: ArtifactFields) -> str:
    """``"flights" as art_…: csv, 336,776 rows x 19 columns``"""
    return f"{json_text(clipped(answer.name, NAME_BYTES))} as {answer.artifact_id}: {', '.join(_about(answer))}"


def _about(answer: ArtifactFields) -> list[str]:
    shape = answer.profile.shape if answer.profile else None
    words = [str(answer.format) if answer.kind == "table" else f"{answer.kind} in {answer.format}"]
    if shape:
        words.append(f"{plural(shape.rows, 'row')} x {plural(shape.columns, 'column')}")
    if answer.status != Status.READY:
        words.append(str(answer.status))
    return words


def _facts(answer: ArtifactFields) -> dict[str, Any]:
    shape = answer.profile.shape if answer.profile else None
    return {
        "artifact_id": answer.artifact_id,
        "name": clipped(answer.name, NAME_BYTES),
        "kind": str(answer.kind),
        "format": str(answer.format),
        "status": str(answer.status),
        **({"rows": shape.rows, "columns_in_all": shape.columns} if shape else {}),
        **({"note": clipped(answer.note, NOTE_BYTES)} if answer.note else {}),
        **({"failure": clipped(answer.failure.detail, NOTE_BYTES)} if answer.failure else {}),
    }


def _notes(answer: ArtifactFields) -> list[str]:
    notes = [f"Note: {clipped(answer.note, NOTE_BYTES)}"] if answer.note else []
    if answer.failure:
        notes.append(f"Its rows can not be read: {clipped(answer.failure.detail, NOTE_BYTES)}")
    if answer.status == Status.PROFILING:
        notes.append("Its rows can be read when it has been profiled; load_artifact gives the file already.")
    return notes


def _more(count: int, word: str, tool: str, at: int) -> str:
    if count <= 0:
        return ""
    return f" ... {plural(count, f'more {word}')}; call {tool} with first_column {at}"


def _left_out(count: int) -> dict[str, int]:
    return {"columns_left_out": count} if count > 0 else {}


def _listed(each: SummaryPart, most: int) -> list[str]:
    """One row of a listing; name and description share ``most`` bytes, the name first."""
    name = one_line(each.name, most)
    room = most - len(name.encode())
    description = one_line(each.description, room) if each.description and room > _LISTED_BYTES_MIN else ""
    data = f"{each.format} {each.rows}x{each.columns}" if each.rows is not None else f"{each.format} {each.size} bytes"
    if each.status != Status.READY:
        data += f" {each.status}"
    return [each.artifact_id, name, data, description]


def _head(answer: DescribeArtifactAnswer) -> tuple[list[str], dict[str, Any]]:
    at = answer.created_at.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
    lines = [_titled(answer) + ".", f'{answer.size:,} bytes, from node "{answer.node}", {at}.']
    facts = {**_facts(answer), "bytes": answer.size, "node": answer.node, "created_at": at}
    if answer.description:
        facts["description"] = clipped(answer.description, NOTE_BYTES * 2)
        lines.append(f"Description: {facts['description']}")
    if answer.lineage:
        facts["made_from"] = answer.lineage[:_LINEAGE_TOLD]
        lines.append(f"Made from {some_of(answer.lineage, _LINEAGE_TOLD)}.")
    return lines, facts


def _column_rows(profile: ProfilePart, first: int, most: int) -> list[list[Any]]:
    return [
        [
            clipped(column.name, COLUMN_NAME_BYTES),
            clipped(column.type, COLUMN_NAME_BYTES),
            known.nulls,
            clipped_cell(known.min, _EXTREME_BYTES),
            clipped_cell(known.max, _EXTREME_BYTES),
            known.distinct,
        ]
        for column, known in zip(
            profile.columns[first : first + most], profile.statistics[first : first + most], strict=True
        )
    ]


def _beyond(first: int, everything: int) -> str:
    return f"No column from {first} on: there are {everything:,}." if first else "It has no columns."
