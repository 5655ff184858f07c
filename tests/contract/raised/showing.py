"""Every example of an error is really raised: a scenario runs the product until it says no, and shows what it says."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import pytest

from session_datasets.client.errors import SessionDatasetsError
from session_datasets.domain.artifact import ARTIFACT_ID_PATTERN
from session_datasets.domain.correlation import correlated
from session_datasets.feedback import Family, feedback_of
from session_datasets.feedback.explaining import code_of
from tests.support.moto_cloud import MotoCloud

CORRELATION_ID = "cor-0f6c1d2e3b4a5968778695a4"
# Ids are made anew by each run, and the document stays the same.
_ARTIFACT_ID = re.compile(ARTIFACT_ID_PATTERN.strip("^$"))
_ONE_ARTIFACT_ID = "art_01jg00000000000000000000zz"


@dataclass(frozen=True)
class Place:
    """Where a scenario happens: a deployment, and an empty folder."""

    cloud: MotoCloud
    folder: Path


# What is told, in the words of the document.
Shown = Callable[[Place], str]
Raises = Callable[[Place], object]
E = TypeVar("E", bound=Exception)


@dataclass(frozen=True)
class Examples:
    """The examples of one section of the document, by code and in its order."""

    shown: dict[str, Shown]

    def told(self, code: str, text: Shown) -> None:
        assert code not in self.shown, f"two examples of {code}"
        self.shown[code] = _always_the_same(text)

    def of(self, kind: type[SessionDatasetsError], what: str) -> Callable[[Raises], Raises]:
        """Decorates a scenario that raises ``kind``; shown is what a model is told of it."""

        def keep(scenario: Raises) -> Raises:
            self.told(code_of_kind(kind), lambda place: feedback_of(raised(kind, scenario, place), what=what).text())
            return scenario

        return keep

    def answered(self, kind: type[SessionDatasetsError]) -> Callable[[Callable[[Place], str]], Callable[[Place], str]]:
        """Decorates a scenario in which a tool or a guard catches ``kind`` itself; shown is what it answers."""

        def keep(scenario: Callable[[Place], str]) -> Callable[[Place], str]:
            self.told(code_of_kind(kind), scenario)
            return scenario

        return keep


def code_of_kind(kind: type[SessionDatasetsError]) -> str:
    return code_of(kind.__new__(kind), Family.FAILED)


def raised(kind: type[E], scenario: Raises, place: Place) -> E:
    """What the scenario raises, which is ``kind`` itself and none of its own kinds."""
    with pytest.raises(kind) as caught:
        scenario(place)
    assert type(caught.value) is kind
    return caught.value


def _always_the_same(text: Shown) -> Shown:
    def shown(place: Place) -> str:
        with correlated(CORRELATION_ID):
            return _ARTIFACT_ID.sub(_ONE_ARTIFACT_ID, text(place))

    return shown
