"""Feedback within its size: the parts that somebody else wrote give way, in a fixed order, until it fits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from session_datasets.feedback.model import Feedback

# A token of English is about four bytes.
FEEDBACK_TOKENS_MAX = 200
BYTES_PER_TOKEN = 4
FEEDBACK_BYTES_MAX = FEEDBACK_TOKENS_MAX * BYTES_PER_TOKEN

_GAP = " … "
_NAME_BYTES = 48
_NAMES_MAX = 3
_DETAIL_FLOOR_BYTES = 120
_STEP_FLOOR_BYTES = 160


def size_of(feedback: Feedback) -> int:
    """Bytes of UTF-8 of its text without what was submitted."""
    return len(replace(feedback, submitted="").text().encode("utf-8", "replace"))


def fitted(feedback: Feedback) -> Feedback:
    """Itself when it fits. Else the middle of the detail is left out, then near names are shortened, then arguments
    go, then the middle of the next step, then near names."""
    for shorter in _WAYS:
        over = size_of(feedback) - FEEDBACK_BYTES_MAX
        if over <= 0:
            break
        feedback = shorter(feedback, over)
    return feedback


def _less_detail(feedback: Feedback, over: int) -> Feedback:
    return replace(feedback, detail=without_middle(feedback.detail, over, _DETAIL_FLOOR_BYTES))


def _shorter_names(feedback: Feedback, over: int) -> Feedback:
    names = feedback.did_you_mean[:_NAMES_MAX]
    return replace(feedback, did_you_mean=tuple(without_middle(name, len(name) * 4, _NAME_BYTES) for name in names))


def _no_arguments(feedback: Feedback, over: int) -> Feedback:
    return replace(feedback, retry_with={})


def _shorter_step(feedback: Feedback, over: int) -> Feedback:
    return replace(feedback, next_step=without_middle(feedback.next_step, over, _STEP_FLOOR_BYTES))


def _no_names(feedback: Feedback, over: int) -> Feedback:
    return replace(feedback, did_you_mean=())


_WAYS: tuple[Callable[[Feedback, int], Feedback], ...] = (
    _less_detail,
    _shorter_names,
    _no_arguments,
    _shorter_step,
    _no_names,
)


def without_middle(text: str, over: int, floor: int) -> str:
    """``over`` bytes of UTF-8 shorter, but not below ``floor``: two thirds from the front, for what is wrong mostly
    stands there, and one third from the end, where engines point at the place."""
    data = text.encode("utf-8", "replace")
    keep = max(0, max(floor, len(data) - over) - len(_GAP.encode()))
    if keep + len(_GAP.encode()) >= len(data):
        return text
    front = data[: keep * 2 // 3].decode("utf-8", "ignore")
    return front + _GAP + data[len(data) - keep // 3 :].decode("utf-8", "ignore")
