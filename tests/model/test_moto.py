"""What the account in memory makes AWS out to be, another account of AWS has to agree with."""

from __future__ import annotations

from tests.model.games import play_a_game
from tests.model.places import PlainPlace
from tests.support.moto_cloud import MotoCloud


def test_a_game_on_moto_goes_as_the_model_says(cloud: MotoCloud) -> None:
    played = play_a_game(PlainPlace(cloud), seed=1, commands=25)
    assert played.total() >= 25
