"""What happened: every call with its time and outcome, and every answer that was not what it must be."""

from __future__ import annotations

import threading
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from session_datasets.client.errors import SessionDatasetsError
from session_datasets.client.transport import Body, Transport
from session_datasets.domain.names import Verb

ANSWERED = "answered"


@dataclass
class Ledger:
    """Shared by the threads of all callers. ``calls`` are those of functions, each try for itself."""

    calls: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))  # seconds of each
    errors: Counter[tuple[str, str]] = field(default_factory=Counter)  # (verb, code) of tries
    # What the SDK gave up, after its own tries; and what no error of the SDK's was.
    given_up: Counter[tuple[str, str]] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    checked: Counter[str] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def note_call(self, verb: str, seconds: float, outcome: str) -> None:
        with self._lock:
            self.calls[verb].append(seconds)
            if outcome != ANSWERED:
                self.errors[verb, outcome] += 1

    def note_given_up(self, action: str, error: Exception) -> None:
        with self._lock:
            self.given_up[action, type(error).__name__] += 1
            if not isinstance(error, SessionDatasetsError):
                self.wrong.append(f"{action}: {error!r}")

    def check(self, action: str, found: object, expected: object) -> None:
        with self._lock:
            self.checked[action] += 1
            if found != expected:
                self.wrong.append(f"{action}: {_short(found)} instead of {_short(expected)}")

    @property
    def call_count(self) -> int:
        return sum(map(len, self.calls.values()))


class Noted:
    """A transport that writes down every call."""

    def __init__(self, transport: Transport, ledger: Ledger) -> None:
        self._transport = transport
        self._ledger = ledger

    def call(self, verb: Verb, body: Body) -> Body:
        began, outcome = time.perf_counter(), "interrupted"
        try:
            answered = self._transport.call(verb, body)
            outcome = answered["problem"]["code"] if "problem" in answered else ANSWERED
            return answered
        except Exception as error:
            outcome = type(error).__name__
            raise
        finally:
            self._ledger.note_call(verb.value, time.perf_counter() - began, outcome)


def report(ledger: Ledger, seconds: float, memory: str = "") -> str:
    """As text, a line for each verb; milliseconds are those of a call as its caller sees it."""
    lines = [f"{'verb':20}{'calls':>8}{'errors':>8}{'p50 ms':>9}{'p99 ms':>9}"]
    for verb in sorted(ledger.calls):
        took = sorted(ledger.calls[verb])
        failed = sum(count for (name, _), count in ledger.errors.items() if name == verb)
        lines.append(f"{verb:20}{len(took):>8,}{failed:>8,}{_at(took, 0.5):>9,.0f}{_at(took, 0.99):>9,.0f}")
    lines.append(f"{'all':20}{ledger.call_count:>8,}{sum(ledger.errors.values()):>8,}")
    lines.append("")
    lines.append(f"{seconds:,.0f} seconds, {ledger.call_count / max(seconds, 1e-9):,.1f} calls a second")
    lines += [f"error: {verb} {code}: {count:,}" for (verb, code), count in sorted(ledger.errors.items())]
    lines += [f"given up: {action} {kind}: {count:,}" for (action, kind), count in sorted(ledger.given_up.items())]
    lines.append(
        f"answers compared: {', '.join(f'{name} {count:,}' for name, count in sorted(ledger.checked.items()))}"
    )
    lines.append(f"wrong answers: {len(ledger.wrong)}")
    lines += [f"  {text}" for text in ledger.wrong[:20]]
    return "\n".join([*lines, *([memory] if memory else [])])


def _at(ordered: Sequence[float], share: float) -> float:
    return 1_000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:200]}…"
