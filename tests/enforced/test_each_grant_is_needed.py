"""Grants are no more than needed: without any one statement of any role, something that it is for fails."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from infra.grants import PLACES, grants_of, grants_of_function
from session_datasets.domain.names import EVENT_VERBS, Verb
from tests.enforced.trials import TRIALS, UNSEEN
from tests.support.enforced_cloud import EnforcedCloud

STATEMENTS = [
    (verb, grant.name + place.called) for verb in Verb for grant in grants_of(verb) for place in PLACES[grant.resource]
]


def test_every_statement_is_tried_or_it_is_said_why_it_can_not_be() -> None:
    assert TRIALS.keys() | UNSEEN.keys() == set(STATEMENTS)
    assert TRIALS.keys() & UNSEEN.keys() == set()


@pytest.mark.parametrize(("verb", "sid"), TRIALS, ids=[f"{verb}-{sid}" for verb, sid in TRIALS])
def test_without_the_statement_it_fails_and_with_it_it_is_done(cloud: EnforcedCloud, verb: Verb, sid: str) -> None:
    own = {grant.name for grant in grants_of_function(verb)}
    role = cloud.function_role(verb) if sid in own else cloud.caller_role(verb)
    with cloud.paused(verb) if verb in EVENT_VERBS else nullcontext():
        succeeds = TRIALS[verb, sid](cloud)
        with cloud.without(role, sid):
            assert not succeeds()
        assert succeeds()
