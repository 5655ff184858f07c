"""Names of secrets in a text, and what stands behind them.

One rule for all of them: a name, then what says that its value follows, then the value. What is between the two tells
how sure it is that there is one.
"""

from __future__ import annotations

import re

from session_datasets.domain.secret_patterns import compiled
from session_datasets.domain.secret_values import MASK, is_plain, masked_container, says_nothing
from session_datasets.domain.secret_words import (
    EXPLAINS,
    LONGEST_BEFORE,
    LOOKS_UP,
    OF_A_CONDITION,
    OF_A_PARSER,
    OF_A_STATEMENT,
    SCHEMES,
    SECRET_PARAMETERS,
    likely_names_a_secret,
    names_a_secret,
    plain_name,
)

_CLOSING = "`,;.)]}\"'\\"
_PASSWORDS = ("password", "passwd", "passphrase", "passcode", "pwd")
_SAID_OF_A_NAME = ("not found", "does not exist", "already exists", "in namespace")
# Of ["name", "x"] that is no list of two columns.
_OF_A_LIST = 6
_OPENINGS = ("open", "escaped_open", "url_open", "dollar", "open_brace")


def without_values(text: str) -> str:
    """``text`` with *** for every value of a secret's name."""
    patterns = compiled()
    parts, done, position = [], 0, 0
    while found := patterns.named.search(text, position):
        told = _told(found, done)
        if told is None:
            # What is no value of a secret may hold the name of one.
            position = found.end(next(group for group in ("option", "sql", "granted", "name") if found[group]))
            continue
        parts += [text[done : found.end()], told[0]]
        position = done = told[1]
    return "".join([*parts, text[done:]])


def _told(found: re.Match[str], done: int) -> tuple[str, int] | None:
    """The value without what is secret, and where it ends; None for no value of a secret. ``done``: where the text
    begins that no value was taken from."""
    if found["below"]:
        return _below(found) if names_a_secret(found["name"]) else None
    if found["tag"]:
        return _in_tag(found) if names_a_secret(found["name"]) else None
    if found["sql"] is None and found["granted"] is None and not _is_asked(found, done):
        return None
    if _is_cookie(found) and (pairs := compiled().cookies.match(found.string, found.end())):
        return MASK, pairs.end()
    value = compiled().value.match(found.string, found.end())
    if value is None or _explains(found, value) or not _holds(found, value, done):
        return None
    return _masked(found, value)


def _is_asked(found: re.Match[str], done: int) -> bool:
    """Whether its name and what stands before it let a secret follow."""
    name = (found["option"] or found["head"] + found["name"]).lower()
    plain = plain_name(name)
    if plain == "token" and _follows(found, done, OF_A_PARSER):
        return False
    if found["called"] and plain.startswith(LOOKS_UP):
        return False
    if found["paired"] and not _is_pair(found):
        return False
    if names_a_secret(plain) or likely_names_a_secret(plain):
        return True
    if plain == "signature" and _follows(found, done, OF_A_CONDITION):
        return False
    if plain == "pass" and (found["gap"] or "")[:1] in ("'", '"', "\\", "%"):
        # A member of JSON, which "pass: 5" is none of.
        return True
    return bool(found["gap"]) and _is_parameter(found)


def _holds(found: re.Match[str], value: re.Match[str], done: int) -> bool:
    """Whether this value opens something, where its name alone does not say so."""
    bare = (value["bare"] or "").rstrip(_CLOSING)
    if found["granted"]:
        return not is_plain(bare)
    if found["sql"] or found["option"]:
        return True
    name = found["name"]
    said = value["quoted"] or value["escaped"] or ""
    if (found["stated"] or found["called"] or found["paired"]) and not (said or value["dollared"]):
        return False
    if found["stated"]:
        return names_a_secret(name) and _is_stated(found, value)
    if found["called"]:
        # A word in brackets behind a word is a remark.
        return not found["called"][0].isspace() or not is_plain(said)
    if found["paired"]:
        is_short = len(said) < _OF_A_LIST and found.string[_opening(found)] == "["
        return _is_listed_pair(found, done) or not (is_short or is_plain(said))
    if not bare:
        return True
    if bare.isdigit() and name.lower().endswith("s") and names_a_secret(name):
        # Several of them are counted.
        return plain_name(name).endswith("pass")
    if found["head"] or not (names_a_secret(name) or _is_parameter(found)):
        return not is_plain(bare) or (likely_names_a_secret(name) and plain_name(name).endswith("pass"))
    return True


def _is_parameter(found: re.Match[str]) -> bool:
    gap, name = (found["gap"] or "").lower(), found["name"].lower()
    return ("=" in gap or "%3d" in gap or "x-amz-" in name) and re.split(r"[._-]", name)[-1] in SECRET_PARAMETERS


def _is_stated(found: re.Match[str], value: re.Match[str]) -> bool:
    """PASSWORD 'x' of SQL, which is no sentence about a token: that says what was met, or where a secret is kept."""
    name, behind = found["name"], found.string[value.end() : value.end() + LONGEST_BEFORE]
    if _follows(found, 0, OF_A_STATEMENT) or behind.lstrip("\"'\\ ").startswith(_SAID_OF_A_NAME):
        return False
    if value["open"] == '"' and name.islower() and is_plain(value["quoted"]):
        # What a column is to be called.
        return False
    if plain_name(name).endswith(_PASSWORDS):
        return True
    if value["dollar"] or not (value["quoted"] or value["escaped"]):
        return name.isupper()
    return name.isupper() or "_" in name or not is_plain(value["quoted"] or value["escaped"])


def _opening(found: re.Match[str]) -> int:
    """Where the bracket stands that a quoted name follows, or -1."""
    place = found.start("name") - 1
    while place >= 0 and found.string[place] in "\\\"'":
        place -= 1
    if place > 0 and found.string[place] in "bBuU":
        place -= 1
    return place if place >= 0 and found.string[place] in "([" else -1


def _is_pair(found: re.Match[str]) -> bool:
    """("name", "x"), and no list of names that goes on."""
    opening = _opening(found)
    value = compiled().value.match(found.string, found.end())
    if opening < 0 or value is None:
        return False
    behind = found.string[value.end() : value.end() + LONGEST_BEFORE].lstrip("\"'\\").lstrip()
    return behind.startswith((")", "]"))


def _is_listed_pair(found: re.Match[str], done: int) -> bool:
    """A pair that is no call and no list of two columns: at a beginning, or in a list of pairs."""
    opening = _opening(found)
    before = found.string[max(done, opening - LONGEST_BEFORE) : opening].rstrip(" \t")
    return found.string[opening] == "(" and (not before or before[-1] in "[(,:\n{")


def _explains(found: re.Match[str], value: re.Match[str]) -> bool:
    """``password: column not found`` and ``token: expected str, got int`` are sentences."""
    bare = value["bare"]
    if bare is None or value["scheme"] or (found["gap"] or "").strip() != ":":
        return False
    return bare.lower() in EXPLAINS and compiled().sentence.match(value.string, value.end()) is not None


def _is_cookie(found: re.Match[str]) -> bool:
    return bool(found["gap"]) and plain_name(found["name"]).endswith(("cookie", "cookies"))


def _masked(found: re.Match[str], value: re.Match[str]) -> tuple[str, int]:
    if value["container"]:
        masked, end = masked_container(value.string, value.start("container"))
        return value["scheme"] + value["prefix"] + masked, end
    opening = next((value[group] for group in _OPENINGS if value[group]), "")
    held = value[value.lastgroup or "bare"]
    inside = held if opening else held.rstrip(_CLOSING) or held
    if value["command"]:
        inside = held
    is_said = says_nothing(inside) or (not opening and _is_its_own(found, inside))
    if inside.lower() in SCHEMES:
        # Of a header that is described; the value of one that was sent comes behind it.
        is_said = plain_name(found["name"] or "").endswith("authorization")
    if not opening and value["bare"]:
        if is_said and (found["gap"] or "").strip() == ":":
            return _with_its_default(value)
        if (second := _behind_a_scheme(found, value)) is not None:
            return held + " " + MASK, second
    shown = inside if is_said else MASK
    return value["scheme"] + value["prefix"] + opening + shown + held[len(inside) :], value.end()


def _is_its_own(found: re.Match[str], value: str) -> bool:
    """``self.token = token`` and ``--password PASSWORD``: a variable of the same name, or what a value is called."""
    name = found["option"] or found["name"] or ""
    return plain_name(name.rpartition(".")[2]) == plain_name(value) and value.replace("_", "").isalpha()


def _with_its_default(value: re.Match[str]) -> tuple[str, int]:
    """``password: str | None = "x"``: what follows a type is a value once more."""
    patterns, text = compiled(), value.string
    assigned = patterns.assigned.match(text, value.end())
    default = patterns.value.match(text, assigned.end()) if assigned else None
    if assigned is None or default is None or not (default["quoted"] or default["escaped"]):
        return value[0], value.end()
    opening = default["open"] or default["escaped_open"]
    said = default["quoted"] or default["escaped"]
    shown = said if says_nothing(said) else MASK
    return f"{value[0]}{assigned[0]}{default['prefix']}{opening}{shown}", default.end()


def _behind_a_scheme(found: re.Match[str], value: re.Match[str]) -> int | None:
    """Where the credentials end that stand behind a scheme which nobody knows: ``Authorization: Custom x7``."""
    if value["scheme"] or not plain_name(found["name"] or "").endswith("authorization") or not is_plain(value["bare"]):
        return None
    text = value.string
    start = value.end()
    while start < len(text) and text[start] in " \t":
        start += 1
    second = compiled().value.match(text, start) if start > value.end() else None
    if second is None or not second["bare"] or "=" in second["bare"] or is_plain(second["bare"].rstrip(_CLOSING)):
        return None
    return second.start("bare") + len(second["bare"].rstrip(_CLOSING))


def _in_tag(found: re.Match[str]) -> tuple[str, int] | None:
    text, start = found.string, found.start("name")
    _, bracket, space = text[max(0, start - LONGEST_BEFORE) : start].rpartition("<")
    if not bracket or (space and not space.removesuffix(":").isidentifier()):
        return None
    ends = [place for mark in "<\n" if (place := text.find(mark, found.end())) >= 0]
    end = min(ends, default=len(text))
    said = text[found.end() : end]
    return said if says_nothing(said) else MASK, end


def _below(found: re.Match[str]) -> tuple[str, int] | None:
    """What YAML, and JSON in lines, have below a name: a block, items, or a value that is alone in its line."""
    patterns, text, start = compiled(), found.string, found.end()
    if found["folded"]:
        block = patterns.block.match(text, start)
        return (block["depth"] + MASK, block.end()) if block else None
    if items := patterns.items.match(text, start):
        item = f"{items['depth']}- {MASK}"
        return "\n".join([item] * (items[0].count("\n") + 1)), items.end()
    line = start
    while line < len(text) and text[line] in " \t":
        line += 1
    if line == start:
        return None
    depth = text[start:line]
    if text[line] in "[({":
        masked, end = masked_container(text, line)
        return depth + masked, end
    value = patterns.value.match(text, line)
    if value is not None and (value["open"] or value["escaped_open"]):
        masked, end = _masked(found, value)
        return depth + masked, end
    alone = patterns.alone.match(text, line)
    if alone is None or says_nothing(alone[0].rstrip(_CLOSING)) or alone[0].endswith(":"):
        return None
    return depth + MASK, alone.end()


def _follows(found: re.Match[str], done: int, words: tuple[str, ...]) -> bool:
    """Whether one of these words stands before it; a bracket is a word too."""
    before = found.string[max(done, found.start() - LONGEST_BEFORE) : found.start()].lower().split()
    return bool(before) and ("(" if before[-1].endswith("(") else before[-1].strip("\"'")) in words
