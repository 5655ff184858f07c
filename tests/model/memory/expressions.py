"""DynamoDB's condition and update expressions, over items in the wire's form ({"S": "a"})."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

Item = dict[str, Any]
Test = Callable[[Item], bool]

_TOKEN = re.compile(r"\s*(<=|>=|<>|[=<>(),+\-]|[#:]?[A-Za-z_][\w]*(?:\.[#\w]+)*)")
_COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: a == b,
    "<>": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
_ABSENT = object()


class Expression:
    """One expression with the names and values that came beside it."""

    def __init__(self, text: str, names: Mapping[str, str], values: Mapping[str, Any]) -> None:
        self._tokens = _TOKEN.findall(text)
        if "".join(self._tokens) != re.sub(r"\s+", "", text):
            raise NotImplementedError(text)
        self._names = names
        self._values = values

    def holds(self, item: Item | None) -> bool:
        """Whether the item (None: there is none) meets the condition."""
        self._at, self._item = 0, item or {}
        held = self._either()
        if self._at != len(self._tokens):
            raise NotImplementedError(" ".join(self._tokens))
        return held

    def updated(self, item: Item) -> Item:
        """The item after an update expression."""
        self._at, self._item = 0, item
        changed = dict(item)
        while self._at < len(self._tokens):
            clause = self._next().upper()
            while True:
                path = self._path(self._next())
                if clause == "SET":
                    self._take("=")
                    _put(changed, path, self._sum())
                elif clause == "REMOVE":
                    _put(changed, path, _ABSENT)
                elif clause == "ADD":
                    _put(changed, path, _plus(self._found(path), self._value(), 1))
                else:
                    raise NotImplementedError(clause)
                if self._peek() != ",":
                    break
                self._next()
        return changed

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _next(self) -> str:
        token = self._peek()
        self._at += 1
        return token

    def _take(self, token: str) -> None:
        if self._next().upper() != token:
            raise NotImplementedError(f"{token} expected: {' '.join(self._tokens)}")

    def _either(self) -> bool:
        held = self._both()
        while self._peek().upper() == "OR":
            self._next()
            held = self._both() or held
        return held

    def _both(self) -> bool:
        held = self._one()
        while self._peek().upper() == "AND":
            self._next()
            held = self._one() and held
        return held

    def _one(self) -> bool:
        token = self._peek()
        if token.upper() == "NOT":
            self._next()
            return not self._one()
        if token == "(":
            self._next()
            held = self._either()
            self._take(")")
            return held
        if token in ("attribute_exists", "attribute_not_exists"):
            self._next()
            self._take("(")
            there = self._found(self._path(self._next())) is not _ABSENT
            self._take(")")
            return there == (token == "attribute_exists")
        if token == "begins_with":
            self._next()
            self._take("(")
            whole = self._value()
            self._take(",")
            start = self._value()
            self._take(")")
            return whole is not _ABSENT and _plain(whole).startswith(_plain(start))
        return self._compared()

    def _compared(self) -> bool:
        left = self._value()
        operator = self._next().upper()
        if operator == "BETWEEN":
            low = self._value()
            self._take("AND")
            high = self._value()
            return left is not _ABSENT and _plain(low) <= _plain(left) <= _plain(high)
        if operator == "IN":
            self._take("(")
            among = [self._value()]
            while self._next() == ",":
                among.append(self._value())
            return left in among
        right = self._value()
        if left is _ABSENT or right is _ABSENT:
            return operator == "<>"
        return _COMPARE[operator](_plain(left), _plain(right))

    def _sum(self) -> Any:
        total = self._value()
        while self._peek() in ("+", "-"):
            total = _plus(total, self._value() if self._next() == "+" else _plus({"N": "0"}, self._value(), -1), 1)
        return total

    def _value(self) -> Any:
        token = self._next()
        if token == "if_not_exists":
            self._take("(")
            there = self._found(self._path(self._next()))
            self._take(",")
            other = self._value()
            self._take(")")
            return other if there is _ABSENT else there
        return self._values[token] if token.startswith(":") else self._found(self._path(token))

    def _path(self, token: str) -> list[str]:
        return [self._names.get(part, part) for part in token.split(".")]

    def _found(self, path: list[str]) -> Any:
        found: Any = {"M": self._item}
        for part in path:
            found = found.get("M", {}).get(part, _ABSENT)
            if found is _ABSENT:
                return _ABSENT
        return found


def _plain(value: Any) -> Any:
    ((kind, held),) = value.items()
    return Decimal(held) if kind == "N" else held


def _plus(left: Any, right: Any, sign: int) -> Any:
    start = Decimal(0) if left is _ABSENT else Decimal(left["N"])
    return {"N": str(start + sign * Decimal(right["N"]))}


def _put(item: Item, path: list[str], value: Any) -> None:
    for part in path[:-1]:
        item[part] = {"M": dict(item[part]["M"])}
        item = item[part]["M"]
    if value is _ABSENT:
        item.pop(path[-1], None)
    else:
        item[path[-1]] = value
