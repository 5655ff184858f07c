"""Results that a workflow has already got, carried over its continue-as-new so that no model or tool is asked twice.

    set_result_cache(carried)                       at the start of a run, with what the run before handed over
    key = cache_key("tool", call_id, arguments)
    hit, value = cache_lookup(key)
    if not hit:
        value = await ...
        cache_put(key, value)
    workflow.continue_as_new(args=[..., result_cache_snapshot()])

The cache belongs to the task that set it and to the tasks that it starts. Nothing here reads clock, chance or
environment, so a replay does the same. Entries are kept as JSON text: what is put in and taken out is a copy.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any

from session_datasets.boundary import typed_json
from session_datasets.boundary.typed.registry import Registry
from session_datasets.boundary.typed.text import written
from session_datasets.domain.limits import KIB, MIB

# Below what a history takes in one piece (2 MiB), with room for the other arguments.
BUDGET_BYTES = MIB
ENTRY_BYTES_MAX = 64 * KIB

Spill = Callable[[Any], Mapping[str, Any]]
Fetch = Callable[[dict[str, Any]], Any]


class ResultCache:
    """Keys to JSON texts, oldest first, at most ``budget_bytes`` of keys and texts together.

    A value whose text is above ``entry_bytes_max`` is given to ``spill``, which saves it and answers the reference
    ``{"$dataset": ...}`` that is kept instead; ``fetch`` makes the value of it again, without which a lookup answers
    the reference. Without ``spill`` such a value is not kept. Over the budget, the oldest entries go.
    """

    def __init__(
        self,
        *,
        budget_bytes: int = BUDGET_BYTES,
        entry_bytes_max: int = ENTRY_BYTES_MAX,
        spill: Spill | None = None,
        fetch: Fetch | None = None,
        registry: Registry = typed_json.REGISTRY,
    ) -> None:
        self._budget_bytes = budget_bytes
        self._entry_bytes_max = entry_bytes_max
        self._spill = spill
        self._fetch = fetch
        self._registry = registry
        self._texts: dict[str, bytes] = {}
        self._size = 0

    @property
    def size(self) -> int:
        """Bytes of keys and texts."""
        return self._size

    def put(self, key: str, value: Any) -> bool:
        """Whether it is kept. TypedJsonError for a value that typed JSON does not spell."""
        text = typed_json.dumps(value, registry=self._registry)
        if len(text) > self._entry_bytes_max:
            if self._spill is None:
                self._remove(key)
                return False
            text = _text_of_reference(self._spill(value))
        return self._keep(key, text)

    def lookup(self, key: str) -> tuple[bool, Any]:
        text = self._texts.get(key)
        if text is None:
            return False, None
        return True, typed_json.load(json.loads(text), registry=self._registry, resolve=self._fetch)

    def snapshot(self) -> dict[str, Any]:
        return {key: json.loads(text) for key, text in self._texts.items()}

    def restore(self, snapshot: Mapping[str, Any]) -> None:
        for key, dumped in snapshot.items():
            self._keep(str(key), written(dumped))

    def _keep(self, key: str, text: bytes) -> bool:
        self._remove(key)
        if len(key.encode()) + len(text) > self._budget_bytes:
            return False
        self._texts[key] = text
        self._size += len(key.encode()) + len(text)
        while self._size > self._budget_bytes:
            self._remove(next(iter(self._texts)))
        return True

    def _remove(self, key: str) -> None:
        if (text := self._texts.pop(key, None)) is not None:
            self._size -= len(key.encode()) + len(text)


_active: ContextVar[ResultCache | None] = ContextVar("session_datasets_result_cache", default=None)


def set_result_cache(
    cache: Mapping[str, Any] | None,
    *,
    budget_bytes: int = BUDGET_BYTES,
    entry_bytes_max: int = ENTRY_BYTES_MAX,
    spill: Spill | None = None,
    fetch: Fetch | None = None,
    registry: Registry = typed_json.REGISTRY,
) -> None:
    """Makes a cache active, with the entries of a snapshot or none; the options are those of ``ResultCache``.

    In a workflow ``spill`` and ``fetch`` may do no input or output. Leave them out there: a large result is put as the
    reference that its activity returned, and the plugin carries a large snapshot by reference.
    """
    active = ResultCache(
        budget_bytes=budget_bytes, entry_bytes_max=entry_bytes_max, spill=spill, fetch=fetch, registry=registry
    )
    active.restore(cache or {})
    _active.set(active)


def result_cache_snapshot() -> dict[str, Any] | None:
    """JSON of all entries, for ``set_result_cache`` of the next run; None when there are none."""
    active = _active.get()
    return (active.snapshot() or None) if active else None


def cache_key(kind: str, call_id: str, args: Any, *, registry: Registry = typed_json.REGISTRY) -> str:
    """64 hexadecimal digits, the same in every process for equal (kind, call id, arguments), whatever the order of
    keys. TypedJsonError for arguments without a stable spelling, such as objects that only have an address."""
    return hashlib.sha256(typed_json.canonical([kind, call_id, args], registry=registry)).hexdigest()


def cache_lookup(key: str) -> tuple[bool, Any]:
    """``(True, value)`` for what was put, None and False included; ``(False, None)`` otherwise."""
    active = _active.get()
    return active.lookup(key) if active else (False, None)


def cache_put(key: str, value: Any) -> bool:
    """Keeps a copy of ``value`` when a cache is active; whether it did."""
    active = _active.get()
    return active.put(key, value) if active else False


def _text_of_reference(reference: Mapping[str, Any]) -> bytes:
    if typed_json.DATASET_KEY not in reference:
        raise ValueError(f"spill answered no reference: a mapping with the key {typed_json.DATASET_KEY!r} is expected.")
    return written(dict(reference))
