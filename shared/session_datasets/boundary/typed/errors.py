"""Why a value was not written as typed JSON, or typed JSON not read. Standard library only.

TypedJsonError                       detail, advice, path, code
├── UnsupportedValueError              a type that has no rule, or a value that its rule cannot spell
├── CyclicValueError                   the value holds itself
├── TooDeepError                       more levels than DEPTH_MAX
├── TooManyValuesError                 more values than VALUES_MAX
├── MalformedJsonError                 not JSON, or not as this module writes it
└── UnknownTypeError                   a tag that this process does not know, or a later version of one
"""

from __future__ import annotations

# What no text says of a value: an int of thousands of digits, which Python refuses to print, or a long key.
_SHOWN_CHARACTERS_MAX = 40
_SHOWN_INT_BITS_MAX = 128
_STEPS_MAX = 12

PathStep = object


def path_text(steps: list[PathStep]) -> str:
    """``value['rows'][3]``, as a program would reach the place."""
    shown = [f"[{_shown(step)}]" for step in steps]
    if len(shown) > _STEPS_MAX:
        shown[_STEPS_MAX - 1 :] = ["…", shown[-1]]
    return "value" + "".join(shown)


def _shown(step: PathStep) -> str:
    if type(step) in (bool, float) or (type(step) is int and step.bit_length() <= _SHOWN_INT_BITS_MAX):
        return repr(step)
    if type(step) is str:
        return repr(step if len(step) <= _SHOWN_CHARACTERS_MAX else step[:_SHOWN_CHARACTERS_MAX] + "…")
    return f"<{type(step).__name__}>"


class TypedJsonError(ValueError):
    """``detail`` says what was not done and why, ``advice`` what to do next, ``path`` where in the value."""

    code = "typed_json"

    def __init__(self, detail: str, advice: str, path: str = "value") -> None:
        super().__init__(detail)
        self.detail = detail
        self.advice = advice
        self.path = path

    def __str__(self) -> str:
        return f"At {self.path}: {self.detail} {self.advice}".rstrip()


class UnsupportedValueError(TypedJsonError):
    code = "unsupported_value"


class CyclicValueError(TypedJsonError):
    code = "cyclic_value"


class TooDeepError(TypedJsonError):
    code = "too_deep"


class TooManyValuesError(TypedJsonError):
    code = "too_many_values"


class MalformedJsonError(TypedJsonError):
    code = "malformed_json"


class UnknownTypeError(TypedJsonError):
    code = "unknown_type"
