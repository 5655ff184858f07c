"""The tools of one session, called as a model calls them: by name, with whatever arguments it made up."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError

from session_datasets.client.errors import SessionDatasetsError
from session_datasets.client.workspace import Workspace
from session_datasets.domain.near_names import near_names
from session_datasets.tools.answers import Budgets, ToolAnswer
from session_datasets.tools.arguments import Arguments
from session_datasets.tools.definitions import DEFINITIONS, ToolDefinition, chosen
from session_datasets.tools.failing import Failing
from session_datasets.tools.prompting import instructions

# Mistakes told in one answer; a call with more of them is corrected in a second round.
_MISTAKES_TOLD = 3


class WrongCallError(SessionDatasetsError):
    title = "The tool was not called rightly"


class Toolbox:
    """The tools of a workspace; those of ``names``, all when None. ValueError for a name that is no tool's.

    One for each session: it remembers what failed, to say more when the same call fails again. Safe to be used by
    several threads.
    """

    def __init__(
        self, workspace: Workspace, names: Iterable[str] | None = None, *, budgets: Budgets | None = None
    ) -> None:
        self._workspace = workspace
        self._budgets = budgets or Budgets()
        self._definitions = chosen(names)
        self._failing = Failing(self._budgets.error)

    @property
    def definitions(self) -> tuple[ToolDefinition, ...]:
        return self._definitions

    @property
    def names(self) -> frozenset[str]:
        return frozenset(each.name for each in self._definitions)

    def instructions(self) -> str:
        """The paragraph of a system prompt about these tools."""
        return instructions(self._definitions)

    def call(self, name: str, arguments: Mapping[str, Any] | str | None = None) -> ToolAnswer:
        """What the tool answers. Whatever goes wrong is an answer, too (``is_error``), with what to do next.

        ``arguments`` is a mapping, or JSON of one as some providers send it; a null counts as absent.
        """
        submitted: Any = arguments
        try:
            definition = self._named(name)
            submitted = _mapping(arguments)
            checked = definition.arguments.model_validate(submitted)
            answer = definition.act(self._workspace, checked, self._budgets)
        except Exception as error:
            return self.failed(name, error, submitted)
        self._failing.succeeded(name, submitted)
        return answer

    def failed(self, name: str, error: Exception, submitted: Any = None) -> ToolAnswer:
        """The answer for an exception; for frameworks that check arguments by themselves."""
        if isinstance(error, ValidationError):
            definition = DEFINITIONS.get(name)
            error = wrong_arguments(error, definition.arguments if definition else None)
            # Without the arguments, two mistakes are told apart by what is wrong.
            submitted = str(error) if submitted is None else submitted
        return self._failing.answer(name, error, submitted)

    def _named(self, name: str) -> ToolDefinition:
        for each in self._definitions:
            if each.name == name:
                return each
        near = near_names(str(name), self.names)
        known = ", ".join(each.name for each in self._definitions)
        raise WrongCallError(
            f"There is no tool {str(name)[:80]!r}; nothing was done.",
            (f"Did you mean {near[0]!r}? " if near else "") + f"Call one of {known}.",
        )


def call(
    workspace: Workspace, name: str, arguments: Mapping[str, Any] | str | None = None, *, budgets: Budgets | None = None
) -> ToolAnswer:
    """One call without a ``Toolbox`` that remembers failures."""
    return Toolbox(workspace, budgets=budgets).call(name, arguments)


def wrong_arguments(error: ValidationError, arguments: type[Arguments] | None) -> WrongCallError:
    """What is wrong with which argument, and near names for one that does not exist."""
    known = list(arguments.model_fields) if arguments else []
    mistakes, advice = [], []
    for item in error.errors(include_url=False, include_context=False, include_input=False)[:_MISTAKES_TOLD]:
        place = ".".join(str(step) for step in item["loc"]) or "arguments"
        message = str(item["msg"]).removeprefix("Value error, ")
        if item["type"] == "extra_forbidden":
            message = "there is no such argument"
            if near := near_names(place, known):
                advice.append(f"Did you mean {near[0]!r}?")
        mistakes.append(f"{place[:80]}: {message[0].lower()}{message[1:]}")
    if known:
        advice.append(f"Correct it and call again; the arguments are {', '.join(known)}.")
    return WrongCallError("; ".join(mistakes) + "; nothing was done.", " ".join(dict.fromkeys(advice)))


def _mapping(arguments: Mapping[str, Any] | str | None) -> dict[str, Any]:
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments) if arguments.strip() else {}
        except (ValueError, RecursionError):
            arguments = ()  # type: ignore[assignment]
    if not isinstance(arguments, Mapping | None):
        raise WrongCallError("The arguments are no JSON object; nothing was done.", "Call again with a JSON object.")
    return dict(arguments or {})
