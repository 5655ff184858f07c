"""The spelling: ``{"$type": "tuple/1", "value": [...]}``. A name, the version of its rule, and what the rule wrote."""

from __future__ import annotations

from typing import Any

TYPE_KEY = "$type"
VALUE_KEY = "value"
DATASET_KEY = "$dataset"
# A user's mapping with one of these keys is written as pairs, so no data is ever taken for a tag or a reference.
RESERVED_KEYS = frozenset({TYPE_KEY, DATASET_KEY})

# Containers in each other: far below where Python, or a parser of JSON, stops to recurse.
DEPTH_MAX = 100
# A list that holds one list twice, that holds one list twice ...: few objects, endless text.
VALUES_MAX = 20_000_000
# The integers that every reader of JSON keeps exactly, those that read numbers as doubles included.
PLAIN_INT_MAX = 2**53 - 1

Json = Any


def tagged(name: str, value: Json, version: int = 1) -> dict[str, Json]:
    return {TYPE_KEY: f"{name}/{version}", VALUE_KEY: value}


def has_surrogates(text: str) -> bool:
    """Text that is no UTF-8; two of these side by side would come back from JSON as one other character."""
    if text.isascii():
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False
