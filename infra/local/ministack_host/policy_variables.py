"""Policies are compared as they are written: put the values of their variables in first, as IAM does.

A variable stands in a resource or in a condition's value: ``${aws:PrincipalTag/owner}``, or with a default,
``${aws:PrincipalTag/owner, 'nobody'}``; ``${*}``, ``${?}`` and ``${$}`` are those characters themselves. A variable
without a value makes its statement match nothing; a wildcard in a value is no wildcard.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from ministack.core import iam_evaluator as evaluator

_VARIABLE = re.compile(r"\$\{\s*([^},]+?)\s*(?:,\s*'([^']*)'\s*)?\}")
_CHARACTERS = ("*", "?", "$")
# Where patterns are compared, a wildcard that is none travels as a character of nobody's.
_LITERAL = {"*": "\ue000", "?": "\ue001"}
_PATTERN_OPERATORS = ("like", "arnequals", "arnnotequals")


class _NoValue(Exception):
    """A variable has no value, or more than one, which fits no place."""


def mend() -> None:
    match, compile_ = evaluator._first_match, evaluator._fnmatch_compile

    def first_match(ctx: Any, statements: list[Any], effect: str) -> Any:
        return match(ctx, [filled for each in statements if (filled := _filled(each, ctx))], effect)

    def compiled(pattern: str, ignore_case: bool) -> re.Pattern[str]:
        if not any(mark in pattern for mark in _LITERAL.values()):
            return compile_(pattern, ignore_case)
        expression = re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")
        for character, mark in _LITERAL.items():
            expression = expression.replace(mark, re.escape(character))
        return re.compile(f"^{expression}$", re.IGNORECASE if ignore_case else 0)

    evaluator._first_match = first_match
    evaluator._fnmatch_compile = compiled


def _filled(statement: Any, ctx: Any) -> Any:
    """The statement with every variable's value in its place; None when one has none."""
    try:
        return replace(
            statement,
            resources=[_put_in(each, ctx, in_pattern=True) for each in statement.resources],
            not_resources=[_put_in(each, ctx, in_pattern=True) for each in statement.not_resources],
            conditions={
                operator: {key: _values(value, ctx, operator) for key, value in wanted.items()}
                for operator, wanted in statement.conditions.items()
                if isinstance(wanted, dict)
            },
        )
    except _NoValue:
        return None


def _values(value: Any, ctx: Any, operator: str) -> Any:
    in_pattern = any(each in operator.lower() for each in _PATTERN_OPERATORS)
    if isinstance(value, list):
        return [_put_in(str(each), ctx, in_pattern) for each in value]
    return _put_in(value, ctx, in_pattern) if isinstance(value, str) else value


def _put_in(text: str, ctx: Any, in_pattern: bool) -> str:
    return _VARIABLE.sub(lambda found: _value(found, ctx, in_pattern), text)


def _value(found: re.Match[str], ctx: Any, in_pattern: bool) -> str:
    key, default = found[1], found[2]
    value = key if key in _CHARACTERS else evaluator._resolve_condition_key(key, ctx)
    value = default if value is None else value
    if not isinstance(value, str):
        raise _NoValue
    return "".join(_LITERAL.get(each, each) for each in value) if in_pattern else value
