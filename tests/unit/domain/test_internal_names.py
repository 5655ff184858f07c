"""What the account calls its things leaves no text for a reader outside."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from session_datasets.domain.errors import PROBLEM_KINDS, ProblemCode
from session_datasets.domain.internal_names import without_internal_names
from tests.unit.domain.secrets_in_texts import PIECES


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "User: arn:aws:sts::123456789012:assumed-role/fn/x is not authorized on arn:aws:s3:::acme-data/k.csv",
            "User: arn:aws:sts:*** is not authorized on arn:aws:s3:***",
        ),
        ("GET https://acme-data.s3.eu-west-1.amazonaws.com/k?x=1 failed", "GET https://***.amazonaws.com failed"),
        ("Could not connect to sts.cn-north-1.amazonaws.com.cn", "Could not connect to ***.amazonaws.com.cn"),
        ("no s3://acme-data/k.csv there", "no s3://*** there"),
        ("account 123456789012 and AccountId: '123456789012'", "account *** and AccountId: '***'"),
        ("no key acme/conversations/talk-1/datasets/a.csv", "no key ***"),
        ("no key acme/runs/run-1/ses_1/docs/a.txt", "no key ***"),
        ("no key _derived/acme/runs/run-1/art_1/rows", "no key ***"),
        ("No such file: '/home/ana/runs/a.csv'", "No such file: '/home/ana/runs/a.csv'"),
        ("123456789012 rows", "123456789012 rows"),
    ],
)
def test_what_the_account_calls_its_things_stays_inside(text: str, expected: str) -> None:
    assert without_internal_names(text) == expected


@pytest.mark.parametrize("code", ProblemCode)
def test_what_every_problem_advises_stays(code: ProblemCode) -> None:
    assert without_internal_names(PROBLEM_KINDS[code].advice) == PROBLEM_KINDS[code].advice


@given(st.lists(PIECES, max_size=14).map("".join))
def test_taking_internal_names_out_is_idempotent(text: str) -> None:
    assert without_internal_names(without_internal_names(text)) == without_internal_names(text)
