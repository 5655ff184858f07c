"""One line about any value, for logs and prompts."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from session_datasets.boundary.references.kinds import Kind, kind_of, type_name
from session_datasets.boundary.references.pointer import Pointer, is_reference
from session_datasets.domain.limits import KIB, MIB

_TEXT_CHARACTERS_MAX = 80
_COLUMNS_SHOWN = 8
_DEPTH_MAX = 32
_TEXTS = (str, bytes, bytearray)
_BRACKETS: dict[type, Sequence[str]] = {
    list: "[]",
    tuple: "()",
    dict: "{}",
    set: "{}",
    frozenset: ("frozenset({", "})"),
    deque: ("deque([", "])"),
}


def describe(value: Any) -> str:
    """A reference, frame, array or container by its kind, shape or count, and size; a float to 6 significant digits;
    any other value as text of at most 80 characters. Never raises, whatever the value's own methods do."""
    try:
        return _one_line(_described(value))
    except Exception:
        # Whatever a foreign __repr__, shape or length raises: a log line is not worth a failed node.
        return f"<{_safe_type_name(value)}>"


def _described(value: Any) -> str:
    if is_reference(value):
        return _of_pointer(Pointer.of(value))
    if kind_of(value) is not Kind.OTHER:
        shape = tuple(value.shape)
        dtype = f", {value.dtype}" if kind_of(value) is Kind.ARRAY else ""
        return f"{type_name(value)}, {_shape_text(shape)}{dtype}"
    if type(value) is float:
        return f"{value:.6g}"
    if type(value) in (list, tuple, set, frozenset, dict, bytes, bytearray):
        unit = "bytes" if type(value) in (bytes, bytearray) else "items"
        return f"{type(value).__name__}, {len(value):,} {unit}: {_cut(_shown(value))}" if len(value) else repr(value)
    return _cut(value[: _TEXT_CHARACTERS_MAX + 1] if type(value) is str else _shown(value))


def _shown(value: Any) -> str:
    """As repr, until the line is full: what would be cut is not spelled out, however large it is."""
    text = ""
    for piece in _pieces(value, 0):
        text += piece
        if len(text) > _TEXT_CHARACTERS_MAX:
            break
    return text


def _pieces(value: Any, depth: int) -> Iterator[str]:
    kind = next((each for each in _BRACKETS if isinstance(value, each)), None)
    if isinstance(value, _TEXTS) and len(value) > _TEXT_CHARACTERS_MAX:
        yield repr(value[: _TEXT_CHARACTERS_MAX + 1])
    elif kind is None or not len(value):
        yield repr(value)
    elif depth > _DEPTH_MAX:
        yield "…"
    else:
        opening, closing = _brackets(value, kind)
        yield opening
        for at, each in enumerate(value):
            yield ", " if at else ""
            yield from _pieces(each, depth + 1)
            if kind is dict:
                yield ": "
                yield from _pieces(value[each], depth + 1)
        yield ("," if type(value) is tuple and len(value) == 1 else "") + closing


def _brackets(value: Any, kind: type) -> Sequence[str]:
    """Those of the kind, behind the name of a type that is spelled otherwise: Point(1, 2), OrderedDict({'a': 1})."""
    opening, closing = _BRACKETS[kind]
    if type(value).__repr__ is kind.__repr__:
        return opening, closing
    name = type(value).__name__
    return (f"{name}(", ")") if kind is tuple else (f"{name}({opening}", f"{closing})")


def _of_pointer(pointer: Pointer) -> str:
    facts = pointer.facts
    parts = [f"dataset {pointer.value} as {pointer.format}"]
    if type(shape := facts.get("shape")) is list:
        parts.append(_shape_text(tuple(shape)))
    elif type(length := facts.get("length")) is int:
        parts.append(f"{length:,} items")
    if type(dtype := facts.get("dtype")) is str:
        parts.append(dtype)
    names = facts.get("columns") or facts.get("keys")
    if type(names) is list:
        more = ", …" if len(names) > _COLUMNS_SHOWN else ""
        parts.append(f"({', '.join(map(str, names[:_COLUMNS_SHOWN]))}{more})")
    return ", ".join([*parts, _size_text(pointer.size)])


def _shape_text(shape: tuple[Any, ...]) -> str:
    return " x ".join(f"{each:,}" for each in shape) if shape else "one value"


def _size_text(size: int) -> str:
    if size < KIB:
        return f"{size} B"
    return f"{size / KIB:.1f} KiB" if size < MIB else f"{size / MIB:,.1f} MiB"


def _cut(text: str) -> str:
    text = _one_line(text)
    return text if len(text) <= _TEXT_CHARACTERS_MAX else text[: _TEXT_CHARACTERS_MAX - 1] + "…"


def _one_line(text: str) -> str:
    return "".join(each if each.isprintable() else " " for each in text)


def _safe_type_name(value: Any) -> str:
    return _one_line(type(value).__name__)[:_TEXT_CHARACTERS_MAX]
