"""JSON as text, strictly: UTF-8, no NaN token, no number beyond a double, no key twice."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from session_datasets.boundary.typed.errors import MalformedJsonError, TooDeepError
from session_datasets.boundary.typed.tags import Json

_ADVICE = "Read only what typed_json wrote, unchanged."


def written(dumped: Json) -> bytes:
    return json.dumps(dumped, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def parsed(data: bytes | str) -> Json:
    """MalformedJsonError for what is not strict JSON, TooDeepError for what lies in itself too deep to parse."""
    try:
        text = data if isinstance(data, str) else data.decode()
        return json.loads(text, parse_constant=_no_token, parse_float=_finite, object_pairs_hook=_each_once)
    except RecursionError:
        raise TooDeepError("The JSON lies in itself too deep to be parsed, so nothing was read.", _ADVICE) from None
    except MalformedJsonError:
        raise
    except ValueError as error:
        raise _malformed(f"The text is no JSON ({error})") from None


def _no_token(token: str) -> NoReturn:
    raise _malformed(f"{token} is no JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise _malformed("A number is beyond what a double holds")
    return number


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _malformed("An object has a key twice, of which one would be lost")
    return found


def _malformed(why: str) -> MalformedJsonError:
    return MalformedJsonError(f"{why}, so nothing was read.", _ADVICE)
