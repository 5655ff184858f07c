"""Secrets out of text, before anybody reads it: a model, a log, a record, a terminal.

Whatever is unclear counts as a secret: a word too many is lost, never a password kept. A text is read a fixed number of
times, whatever it holds.
"""

from __future__ import annotations

import re

from session_datasets.domain.secret_patterns import compiled
from session_datasets.domain.secret_words import (
    EXPLAINS,
    LONGEST_OF_A_PARSER,
    OF_A_CONDITION,
    OF_A_PARSER,
    OPEN_TOKENS,
    SAYS_NOTHING,
    SCHEMES,
    SECRET_NAMES,
    SECRET_PARAMETERS,
    plain_name,
)

MASK = "***"
CUT_MARK = " …[cut]"
_READ_BEYOND_CHARACTERS = 64 * 1024

_CLOSING = ",;.)]}\"'\\"


def redact(text: str) -> str:
    """``text`` with *** for every secret that looks like one; redacting the result again changes nothing.

    Passwords in URLs and before an @, values of names such as DB_PASSWORD, access_token, Authorization and
    X-Amz-Signature (as name=value, name: value, JSON and headers), key ids and session tokens of AWS, JWTs, private
    keys. The words themselves stay: "token budget", a column named password, "password: string".
    """
    patterns = compiled()
    if "PRIVATE KEY" in text:
        text = patterns.private_key.sub(rf"\1{MASK}", text)
    text = patterns.scheme.sub(_without_credentials, text)
    text = patterns.known.sub(MASK, text)
    # Before the values, since a password may hold what looks like one; and after them, where words have grown together.
    text = _without_userinfos(text)
    return _without_userinfos(_without_values(text))


def redacted_and_cut(text: str, max_chars: int) -> str:
    """Redacted first, so that no cut leaves half a secret that no pattern knows any more; then at most ``max_chars``
    characters, followed by a mark if there were more.

    Of a text far longer than that, the end is not even read: it is dropped at a blank, where no secret is cut in two
    that is known by what follows.
    """
    read = max_chars + _READ_BEYOND_CHARACTERS
    is_cut = len(text) > read
    if is_cut:
        whole, *last = text[:read].rsplit(None, 1)
        text = whole if last else MASK
    text = redact(text)
    return text[:max_chars] + CUT_MARK if is_cut or len(text) > max_chars else text


def _without_userinfos(text: str) -> str:
    if "@" not in text:
        return text
    patterns = compiled()
    if "://" in text:
        text = patterns.authority.sub(_without_userinfo, text)
    return patterns.word.sub(_without_userinfo, text)


def _without_userinfo(found: re.Match[str]) -> str:
    word = found[0]
    end = word.rfind("@")
    if end < 1:
        return word
    start = word.find("://")
    if 0 <= start < end:
        return _without_userinfo_of_url(word, start + len("://"), end)
    # A label before an address is nobody's name.
    user = compiled().user.search(word, 0, end)
    if user is None and (slash := word.find("/", 1, end)) > 0 and compiled().address.match(word, end):
        return word[: slash + 1] + MASK + word[end:] if slash + 1 < end else word
    if compiled().clock.match(word):
        return word
    if user is None or user.end() == end or word[: user.end()].lower().endswith(("mailto:", "arn:")):
        return word
    return word[: user.end()] + MASK + word[end:]


def _without_userinfo_of_url(word: str, start: int, end: int) -> str:
    """A password may hold "/" and "@", so it ends at the last "@"; where no colon is, there is only a user."""
    if ":" not in word[start:end]:
        path = min((place for mark in "/?#" if (place := word.find(mark, start)) >= 0), default=len(word))
        end = word.rfind("@", start, path)
    return word if end <= start else word[:start] + MASK + word[end:]


def _without_values(text: str) -> str:
    patterns = compiled()
    parts, done, position = [], 0, 0
    while found := patterns.named.search(text, position):
        value = patterns.value.match(text, found.end()) if _is_secret(found, done) else None
        if value is None or _explains(found, value):
            # What is no value of a secret may hold the name of one.
            position = found.end("option" if found["option"] else "sql" if found["sql"] else "name")
            continue
        parts += [text[done : found.end()], _masked(found, value)]
        position = done = value.end()
    return "".join([*parts, text[done:]])


def _explains(found: re.Match[str], value: re.Match[str]) -> bool:
    """``password: column not found`` and ``token: expected str, got int`` are sentences."""
    bare = value["bare"]
    if bare is None or value["scheme"] or (found["gap"] or "").strip() != ":":
        return False
    return bare.lower() in EXPLAINS and compiled().sentence.match(value.string, value.end()) is not None


def _masked(found: re.Match[str], value: re.Match[str]) -> str:
    opening = value["open"] or value["escaped_open"] or value["open_brace"] or value["open_list"] or ""
    held = value[value.lastgroup or "bare"]
    inside = held if opening else held.rstrip(_CLOSING) or held
    says_nothing = not inside.strip() or inside.lower() in SAYS_NOTHING
    if inside.lower() in SCHEMES:
        # Of a header that is described; the value of one that was sent comes behind it.
        says_nothing = plain_name(found["name"] or "").endswith("authorization")
    return value["scheme"] + opening + (inside if says_nothing else MASK) + held[len(inside) :]


def _is_secret(found: re.Match[str], done: int) -> bool:
    """``done``: where the text begins that no value was taken from."""
    if found["sql"]:
        return True
    name = (found["option"] or found["name"]).lower()
    plain = plain_name(name)
    if plain.endswith(OPEN_TOKENS) or (plain == "token" and _follows(found, done, OF_A_PARSER)):
        return False
    if plain.endswith(SECRET_NAMES):
        return True
    if plain == "signature" and _follows(found, done, OF_A_CONDITION):
        return False
    gap = found["gap"] or ""
    is_parameter = "=" in gap or "%3d" in gap.lower() or "x-amz-" in name
    return is_parameter and re.split(r"[._-]", name)[-1] in SECRET_PARAMETERS


def _follows(found: re.Match[str], done: int, words: tuple[str, ...]) -> bool:
    before = found.string[max(done, found.start() - LONGEST_OF_A_PARSER) : found.start()]
    return before.lower().rstrip().endswith(words)


def _without_credentials(found: re.Match[str]) -> str:
    """A word of small letters after "basic" or "bearer" is a word of the sentence."""
    scheme, gap, value = found.groups()
    return found[0] if value.isalpha() and value.islower() else f"{scheme}{gap}{MASK}"
