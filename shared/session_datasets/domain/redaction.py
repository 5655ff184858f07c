"""Secrets out of text, before anybody reads it: a model, a log, a record, a terminal.

Whatever is unclear counts as a secret: a word too many is lost, never a password kept. A text is read a fixed number of
times, whatever it holds.
"""

from __future__ import annotations

import re

from session_datasets.domain.secret_names import without_values
from session_datasets.domain.secret_patterns import compiled
from session_datasets.domain.secret_values import MASK, is_basic, is_plain

__all__ = ["CUT_MARK", "MASK", "redact", "redacted_and_cut"]

CUT_MARK = " …[cut]"
_READ_BEYOND_CHARACTERS = 64 * 1024

_CALL_CHARACTERS = 300
_STATEMENT_CHARACTERS = 160


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
    text = patterns.known.sub(MASK, patterns.hook.sub(rf"\1{MASK}", text))
    text = patterns.option.sub(_without_password_of_curl, text)
    # Before the values, since a password may hold what looks like one; and after them, where words have grown together.
    text = _without_userinfos(text)
    return _without_userinfos(without_values(text))


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
    if user is None and (slash := word.find("/", 1, end)) > 0 and _is_of_oracle(found, slash, end):
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


def _is_of_oracle(found: re.Match[str], slash: int, end: int) -> bool:
    if compiled().address.match(found[0], end):
        return True
    slash += found.start()
    return compiled().of_oracle.search(found.string[max(0, slash - _STATEMENT_CHARACTERS) : slash]) is not None


def _without_password_of_curl(found: re.Match[str]) -> str:
    """Others have users behind -u as well, and groups behind a colon."""
    before = found.string[max(0, found.start() - _CALL_CHARACTERS) : found.start()]
    return f"{found[1]}{MASK}" if "curl" in before else found[0]


def _without_credentials(found: re.Match[str]) -> str:
    """What stands after "basic" or "bearer" is mostly a word of the sentence."""
    scheme, gap, value = found.groups()
    is_sent = is_basic(value) if scheme.lower() == "basic" else not is_plain(value)
    return f"{scheme}{gap}{MASK}" if is_sent else found[0]
