from __future__ import annotations

import jwt
import pytest

from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.keyring import Keyring, SigningKey
from session_datasets.storage.cursor import SignedCursors
from tests.support.builders import a_caller, a_keyring

QUERY = {"scope": "conversation", "kind": None}


def cursors(keyring: Keyring | None = None) -> SignedCursors:
    return SignedCursors(lambda: keyring or a_keyring())


def refused_code(cursor: str, **changes: object) -> ProblemCode:
    caller = changes.get("caller", a_caller())
    with pytest.raises(Refusal) as refused:
        cursors().open(caller, changes.get("query", QUERY), cursor)  # type: ignore[arg-type]
    return refused.value.problem.code


def test_a_cursor_opens_to_its_position() -> None:
    assert cursors().open(a_caller(), QUERY, cursors().seal(a_caller(), QUERY, "art_1")) == "art_1"


def test_the_previous_key_still_opens() -> None:
    old = a_keyring(previous=True).previous
    assert old is not None
    sealed = cursors(Keyring(old)).seal(a_caller(), QUERY, "art_1")
    assert cursors(a_keyring(previous=True)).open(a_caller(), QUERY, sealed) == "art_1"


@pytest.mark.parametrize("other", [{"owner": "other"}, {"session_id": "ses-9"}], ids=["owner", "session"])
def test_another_caller_can_not_use_it(other: dict[str, str]) -> None:
    sealed = cursors().seal(a_caller(), QUERY, "art_1")
    assert refused_code(sealed, caller=a_caller(**other)) is ProblemCode.INVALID_CURSOR


def test_another_filter_can_not_use_it() -> None:
    sealed = cursors().seal(a_caller(), QUERY, "art_1")
    assert refused_code(sealed, query={**QUERY, "kind": "table"}) is ProblemCode.INVALID_CURSOR


def test_every_changed_character_is_noticed() -> None:
    sealed = cursors().seal(a_caller(), QUERY, "art_1")
    # The last character of a base64url text may hold unused bits, so it alone can change without effect.
    for place in range(len(sealed) - 1):
        changed = "A" if sealed[place] != "A" else "B"
        assert refused_code(sealed[:place] + changed + sealed[place + 1 :]) is ProblemCode.INVALID_CURSOR


@pytest.mark.parametrize("cursor", ["", "x", "a.b.c", "ä", "\ud800", "." * 4_000])
def test_noise_is_refused(cursor: str) -> None:
    assert refused_code(cursor) is ProblemCode.INVALID_CURSOR


def test_an_unsigned_cursor_is_refused() -> None:
    claims = jwt.decode(cursors().seal(a_caller(), QUERY, "art_1"), options={"verify_signature": False})
    assert refused_code(jwt.encode(claims, "", algorithm="none", headers={"kid": "k1"})) is ProblemCode.INVALID_CURSOR


def test_a_cursor_of_another_key_is_refused() -> None:
    foreign = Keyring(SigningKey("k1", "another-secret-of-thirty-two-bytes!!!"))
    assert refused_code(cursors(foreign).seal(a_caller(), QUERY, "art_1")) is ProblemCode.INVALID_CURSOR
