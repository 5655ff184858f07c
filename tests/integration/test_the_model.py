"""The commands of the model's ring on deployed functions: what holds against a memory of AWS holds here."""

from __future__ import annotations

from uuid import uuid4

from tests.model.games import play_a_game
from tests.model.places import PlainPlace
from tests.support.deployed_cloud import DeployedCloud


def test_a_game_of_random_commands_goes_as_the_model_says(cloud: DeployedCloud) -> None:
    played = play_a_game(PlainPlace(cloud), seed=1, commands=40, suffix=f"-{uuid4().hex}")
    assert played.total() >= 40
