"""Games of random commands without hypothesis: what was played is told when one is lost, and a seed plays it again."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from tests.model.places import Place
from tests.model.play import Play
from tests.model.playing import Outcome


def play_a_game(place: Place, seed: int, commands: int, suffix: str = "") -> Counter[Outcome]:
    """What was done and came of it; fails the test at the first difference from the model."""
    told: list[str] = []
    play, choose = Play(place, told.append, suffix), random.Random(seed)
    try:
        for _ in range(commands):
            play.step(choose.choice)
        played = Counter(play.outcomes)
        play.finish()
    except AssertionError as error:
        pytest.fail("\n".join([f"the game of seed {seed}:", *told, str(error)]))
    return played
