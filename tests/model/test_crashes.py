"""Whatever dies, is busy or gets in the way: what was promised holds. The long run is ``make model EXAMPLES=…``."""

from __future__ import annotations

import os
import random
from collections import Counter

from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.model.bodies import AT_ONCE_BYTES
from tests.model.games import play_a_game
from tests.model.machine import Machine
from tests.model.memory.cloud import memory_cloud
from tests.model.places import MemoryPlace
from tests.model.playing import Outcome

# The same examples every time, so that nobody's change fails for another's reason; others every time when asked for
# a number of them.
_EXAMPLES = os.environ.get("EXAMPLES")
_SETTINGS = settings(
    max_examples=int(_EXAMPLES or 25),
    stateful_step_count=40,
    derandomize=_EXAMPLES is None,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
_GAMES = int(_EXAMPLES or 50)
_COMMANDS_OF_A_GAME = 50
_FIRST_SEED = random.randrange(10**9) if _EXAMPLES else 0


def test_hypothesis_finds_no_way_to_lose_halve_or_disclose_anything() -> None:
    Machine.played.clear()
    try:
        run_state_machine_as_test(Machine, settings=_SETTINGS)
    finally:
        _tell(Machine.played)


def test_games_that_come_to_everything_lose_halve_and_disclose_nothing() -> None:
    """Longer than hypothesis's examples and less clever; they reach what a machine must reach to find anything."""
    played: Counter[Outcome] = Counter()
    for seed in range(_FIRST_SEED, _FIRST_SEED + _GAMES):
        with memory_cloud(profiled_at_once_bytes=AT_ONCE_BYTES) as cloud:
            played += play_a_game(MemoryPlace(cloud), seed, _COMMANDS_OF_A_GAME)
    _tell(played)
    unreached = _REACHED - {(command, outcome) for command, _, outcome in played}
    undisturbed = _DISTURBED - {(command, happened) for command, happened, _ in played}
    assert (unreached, undisturbed) == (set(), set())


def _tell(played: Counter[Outcome]) -> None:
    disturbed = sum(count for (_, happened, _), count in played.items() if happened)
    print(f"{played.total():,} commands were made, {disturbed:,} of them disturbed")


_REACHED = {
    ("Upload", "answered"),
    ("Register", "answered"),
    ("Register", "known"),
    ("Register", "died"),
    ("Register", "unavailable"),
    ("Register", "request-token-conflict"),
    ("Register", "file-not-found"),
    ("Register", "unreadable-file"),
    ("Register", "ended"),
    ("Page", "answered"),
    ("Page", "still-profiling"),
    ("Page", "not-a-dataset"),
    ("Page", "not-found"),
    ("Describe", "reference-mismatch"),
    ("Download", "answered"),
    ("Download", "file-missing"),
    ("Copy", "answered"),
    ("Copy", "died"),
    ("Deliver", "died"),
    ("List", "answered"),
    ("List", "died"),
    ("Misuse", "invalid-cursor"),
    ("End", "died"),
    ("End", "answered"),
}
_DISTURBED = {
    ("Register", "Register"),
    ("Register", "Delete"),
    ("Register", "End"),
    ("Copy", "Put"),
    ("Copy", "Delete"),
    ("Deliver", "Delete"),
}
