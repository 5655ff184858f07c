"""The state machine: hypothesis chooses commands, crashes and interruptions, and shortens what it finds."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from typing import Any, ClassVar

from hypothesis import note
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from tests.model.bodies import AT_ONCE_BYTES
from tests.model.memory.cloud import memory_cloud
from tests.model.places import MemoryPlace
from tests.model.play import Pick, Play
from tests.model.playing import Outcome


class Machine(RuleBasedStateMachine):
    """A cloud of its own for each example. Its stores are compared with the model after every command."""

    # What all machines of this process did, what happened to it, and what came of it.
    played: ClassVar[Counter[Outcome]] = Counter()

    def __init__(self) -> None:
        super().__init__()
        self._cloud = ExitStack()
        cloud = self._cloud.enter_context(memory_cloud(profiled_at_once_bytes=AT_ONCE_BYTES))
        self._play = Play(MemoryPlace(cloud), note)
        self._is_well = True

    def teardown(self) -> None:
        try:
            Machine.played += self._play.outcomes
            if self._is_well:
                self._play.finish()
        finally:
            self._cloud.close()

    def _make(self, action: str, data: st.DataObject) -> None:
        self._is_well = False
        getattr(self._play, action)(_picking(data))
        self._is_well = True


def _picking(data: st.DataObject) -> Pick:
    def pick(choices: Any) -> Any:
        choices = list(choices)
        return choices[data.draw(st.integers(0, len(choices) - 1))] if len(choices) > 1 else choices[0]

    return pick


def _rule(action: str) -> Any:
    def make(self: Machine, data: st.DataObject) -> None:
        self._make(action, data)

    make.__name__ = action
    return rule(data=st.data())(make)


for _action in (
    *("put", "upload", "delete", "register", "deliver", "retry", "describe", "page", "download", "copy"),
    *("begin_listing", "go_on_listing", "misuse_a_cursor", "let_an_index_catch_up", "let_time_pass", "race", "end"),
):
    setattr(Machine, _action, _rule(_action))
