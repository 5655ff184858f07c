"""What stands under the name of a secret: whether it says anything, and how it looks without what it says."""

from __future__ import annotations

import re
from base64 import b64decode
from itertools import pairwise

from session_datasets.domain.secret_patterns import compiled
from session_datasets.domain.secret_words import DESCRIBES, HOLDS, SAYS_NOTHING, names_a_secret

MASK = "***"
_TYPE_MARKS = str.maketrans("[]|,.", "     ")
_OF_URLS = str.maketrans("-_", "+/")
_OPENS_A_STRUCTURE = ('"', "'", "[", "(", "{", "\\")
_FAR = 80


def is_plain(value: str) -> bool:
    """Whether it is made of words and short numbers, as a sentence, a name or a place is, and as few tokens are."""
    patterns = compiled()
    return value != MASK and all(patterns.plain_part.fullmatch(part) for part in patterns.parting.split(value) if part)


def says_nothing(value: str) -> bool:
    """An empty one, a type, "required", and what stands for a value: ${DB_PASSWORD}, %s, $(openssl rand -hex 32)."""
    plain = value.strip().lower()
    if not plain or plain in SAYS_NOTHING or compiled().reference.fullmatch(value):
        return True
    return ("[" in plain or "|" in plain or "." in plain) and SAYS_NOTHING.issuperset(
        plain.translate(_TYPE_MARKS).split() or " "
    )


def is_basic(value: str) -> bool:
    """Whether it is what Basic authentication sends: user:password in base64, be it cut off."""
    whole = value.rstrip("=.,").translate(_OF_URLS)
    whole = whole[: len(whole) - (len(whole) % 4 == 1)]
    try:
        said = b64decode(whole + "=" * (-len(whole) % 4))
    except ValueError:
        return False
    user, colon, _ = said.partition(b":")
    return bool(colon) and user.isascii() and (not user or user.decode("ascii").isprintable())


def masked_container(text: str, start: int) -> tuple[str, int]:
    """A list or an object, from its bracket at ``start``: without its values, and where its bracket closes.

    Of one that begins with a quote or a bracket every text is taken, in lines below too; of any other all of its line.
    """
    is_structure = text[start + 1 : start + _FAR].lstrip().startswith(_OPENS_A_STRUCTURE)
    parts = _parts(text, start, is_structure)
    end = parts[-1].start() if parts[-1]["close"] else parts[-1].end()
    if is_structure:
        return _masked_structure(parts), end
    inside = text[start + 1 : end]
    return text[start] + (inside if says_nothing(inside) else MASK), end


def _parts(text: str, start: int, is_structure: bool) -> list[re.Match[str]]:
    """Up to the bracket that closes the first, or to the end of the text, of no structure to that of its line."""
    parts: list[re.Match[str]] = []
    pattern, position, depth = compiled().part, start, 0
    while found := pattern.match(text, position):
        if not is_structure and "\n" in found[0]:
            # A quote or a blank that goes on in the next line: what is left of this one.
            end = text.index("\n", position)
            rest = pattern.match(text, position, end)
            return [*parts, rest] if rest else parts
        parts.append(found)
        position = found.end()
        depth += bool(found["open"]) - bool(found["close"])
        if not depth:
            break
    return parts


def _masked_structure(parts: list[re.Match[str]]) -> str:
    """Without the bracket that closes it. Keys stay, and numbers of an object: they count more often than they open."""
    keys = {_said(part).lower() for part, after in pairwise(parts) if _is_key(part, after)}
    is_schema = not keys.isdisjoint(DESCRIBES) and parts[0][0] == "{"
    told, key, around = [], "", []
    for part, after in zip(parts, [*parts[1:], None], strict=True):
        if part["open"]:
            around.append(part[0])
        elif part["close"]:
            if after is None:
                break
            around.pop()
        elif part["between"] is None:
            if _is_key(part, after):
                key = _said(part).lower()
            elif _opens(part, key, is_schema, around[-1:] == ["{"]):
                told.append(_masked(part))
                continue
        told.append(part[0])
    return "".join(told)


def _is_key(part: re.Match[str], after: re.Match[str] | None) -> bool:
    return after is not None and (after["between"] or "").lstrip().startswith(":")


def _said(part: re.Match[str]) -> str:
    return part["text"] or part["escaped"] or part["bare"] or ""


def _masked(part: re.Match[str]) -> str:
    opening = part["quote"] or part["escaped_quote"] or ""
    return opening + MASK + part[0][len(opening) + len(_said(part)) :]


def _opens(part: re.Match[str], key: str, is_schema: bool, of_object: bool) -> bool:
    said = _said(part)
    if says_nothing(said):
        return False
    if is_schema:
        is_token = " " not in said and key not in DESCRIBES and not is_plain(said)
        return key in HOLDS or names_a_secret(key) or is_token
    # A prefix of a literal is no value.
    is_number = said.replace(".", "").replace("-", "").isdigit()
    return not part["bare"] or (not (is_number and of_object and key != "value") and len(said) > 1)
