"""The words of any exception, whatever it holds: nothing here raises, and nothing secret comes out."""

from __future__ import annotations

import json
import traceback
from collections.abc import Iterator
from typing import Any

from session_datasets.domain.internal_names import without_internal_names
from session_datasets.domain.quoting import on_one_line
from session_datasets.domain.redaction import redact, redacted_and_cut

SUBMITTED_CHARACTERS_MAX = 2_000
TRACEBACK_CHARACTERS_MAX = 20_000
_DETAIL_CHARACTERS_MAX = 4_000
LABEL_BYTES_MAX = 48
_CAUSES_MAX = 3
_OF_A_GROUP_MAX = 3
_MEMBERS_MAX = 9
_SHOWN_MAX = 100
NO_DETAIL = "(the error gives no detail)"


def detail_of(error: BaseException, own_words: str | None = None) -> str:
    """What an exception and its causes say, for somebody outside: without secrets and without names of our account.

    ``own_words`` are the exception's, when its text says more than is asked for.
    """
    text = _own_words(error) if own_words is None else own_words
    for cause in _causes(error):
        said = _own_words(cause)
        # Many an exception quotes its cause already.
        if not said or said not in text:
            text = f"{text} Caused by {name_of(cause)}: {said}".lstrip()
    return outward(text) or NO_DETAIL


def outward(text: str) -> str:
    return well_formed(without_internal_names(redacted_and_cut(text, _DETAIL_CHARACTERS_MAX)).strip())


def well_formed(text: str) -> str:
    """Half a surrogate pair is spelled out: nobody who writes UTF-8, neither a log nor a model's API, can send one."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def name_of(error: BaseException) -> str:
    return short(class_name(error))


def class_name(value: object) -> str:
    """Of any object, be it that its class's own class has no name for it."""
    try:
        return str(type(value).__name__)
    except Exception:
        # What every class has, whatever says otherwise.
        return str(type.__dict__["__name__"].__get__(type(value)))


def label(what: str) -> str:
    return short(redact(what.strip())) or "call"


def short(name: str) -> str:
    """On one line, and at most 48 bytes of UTF-8."""
    name = well_formed(on_one_line(name, LABEL_BYTES_MAX))
    data = name.encode("utf-8")
    return name if len(data) <= LABEL_BYTES_MAX else data[: LABEL_BYTES_MAX - 3].decode("utf-8", "ignore") + "…"


def submitted_text(submitted: object) -> str:
    """A query as it is, arguments as JSON; redacted, then cut at 2,000 characters. Empty for None and for blanks."""
    if submitted is None:
        return ""
    text = submitted if isinstance(submitted, str) else canonical_text(submitted)
    return well_formed(redacted_and_cut(text.strip(), SUBMITTED_CHARACTERS_MAX))


def canonical_text(value: object) -> str:
    """Equal arguments give equal text, whatever the order of their names."""
    try:
        return json.dumps(value, sort_keys=True, ensure_ascii=False, default=_shown)
    except Exception:
        # Names of mixed types, a value that holds itself, or one whose own methods raise.
        return _shown(value)


def traceback_of(error: BaseException) -> str:
    """For the operator: secrets are gone, names of the account stay."""
    try:
        lines = "".join(traceback.format_exception(error) if _is_small(error) else _own_frames(error))
    except Exception:
        lines = name_of(error)
    return well_formed(redacted_and_cut(lines, TRACEBACK_CHARACTERS_MAX))


def _is_small(error: BaseException) -> bool:
    """Whether all that a traceback shows is few exceptions: of a group it shows every member anew wherever it lies."""
    ahead: list[BaseException | None] = [error]
    for _ in range(_SHOWN_MAX):
        if not ahead:
            return True
        if (shown := ahead.pop()) is not None:
            ahead += [shown.__cause__, *getattr(shown, "exceptions", ())[:_SHOWN_MAX]]
            ahead += [] if shown.__suppress_context__ else [shown.__context__]
    return False


def _own_frames(error: BaseException) -> list[str]:
    frames = traceback.format_tb(error.__traceback__)
    return [*frames, f"{name_of(error)}: {_own_words(error)}\n(more exceptions came with it than are shown)\n"]


def _own_words(error: BaseException) -> str:
    try:
        return " ".join([_said(error), *(f"{name_of(member)}: {_said(member)}" for member in _members(error))])
    except Exception:
        # An exception that can not even say what it is must not hide that it happened.
        return ""


def _said(error: BaseException) -> str:
    try:
        return (_decoded(error) or str(error)).strip()
    except Exception:
        return ""


def _members(error: BaseException) -> Iterator[BaseException]:
    """The first members of a group and of the groups in it, in their order; at most nine, however deep they lie."""
    ahead, left = [error], _MEMBERS_MAX
    while ahead and left >= 0:
        member = ahead.pop()
        if member is not error:
            yield member
        left -= 1
        if isinstance(member, BaseExceptionGroup):
            ahead += reversed(member.exceptions[:_OF_A_GROUP_MAX])


def _decoded(error: BaseException) -> str:
    arguments = error.args
    only = arguments[0] if len(arguments) == 1 else None
    return only.decode("utf-8", "backslashreplace") if isinstance(only, bytes) else ""


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Those that were named by ``raise … from``, nearest first; a circle is walked once."""
    seen = {id(error)}
    cause = error.__cause__
    while cause is not None and id(cause) not in seen and len(seen) <= _CAUSES_MAX:
        yield cause
        seen.add(id(cause))
        cause = cause.__cause__


def _shown(value: Any) -> str:
    try:
        return repr(value)
    except Exception:
        return f"<{class_name(value)}>"
