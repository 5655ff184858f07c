"""The benchmark's rows: seeded, the same on every machine, and each smaller size the beginning of every larger one.

Twelve columns as they are met in practice: a key, a foreign key, integers beyond what a double holds, instants, days,
money, a random walk, noise with gaps, texts of 200 and of 5 values, texts that are all different, texts with gaps.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

# Rows made at once.
CHUNK_ROWS = 1 << 17
_SEED = 20_240
_MICROSECONDS = 1_000_000
_FIRST_INSTANT = 1_700_000_000 * _MICROSECONDS
_FIRST_DAY = 19_000
_ROWS_PER_DAY = 5_000

# What the cases read.
KEY = "id"
CHARTED = "temp"
SPREAD = "price"

_COUNTRIES = [f"Country {number:03}" for number in range(200)]
_STATUSES = ["active", "inactive", "pending", "deleted", "unknown"]
_WORDS = ["alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel", "india", "juliet", "kilo", "lima"]


def chunks(rows: int) -> Iterator[pa.Table]:
    """The first ``rows`` rows, ``CHUNK_ROWS`` at a time."""
    temperature = 20.0
    for number, begin in enumerate(range(0, rows, CHUNK_ROWS)):
        chunk, temperature = _chunk(number, temperature)
        yield chunk.slice(0, rows - begin)


def _chunk(number: int, temperature: float) -> tuple[pa.Table, float]:
    """Chunk ``number`` whole, and the temperature that the next one goes on from."""
    draw = np.random.default_rng([_SEED, number])
    size = CHUNK_ROWS
    row = np.arange(number * size, (number + 1) * size, dtype=np.int64)
    instants = _FIRST_INSTANT + row * _MICROSECONDS + draw.integers(0, _MICROSECONDS, size)
    days = (_FIRST_DAY + (row // _ROWS_PER_DAY) % 3_000).astype(np.int32)
    walk = temperature + np.cumsum(draw.normal(0, 0.01, size))
    table = pa.table(
        {
            KEY: row,
            "user_id": draw.integers(0, 2_000_000, size),
            "big": draw.integers(2**53, 2**62, size),
            "ts": pa.array(instants, pa.timestamp("us", "UTC")),
            "day": pa.array(days, pa.date32()),
            SPREAD: np.round(draw.gamma(2, 50, size), 2),
            CHARTED: walk,
            "ratio": pa.array(draw.random(size), mask=draw.random(size) < 0.1),
            "country": pc.take(pa.array(_COUNTRIES), pa.array(draw.zipf(1.3, size) % len(_COUNTRIES))),
            "status": _one_of(_STATUSES, draw),
            "name": _joined("-", _digits(26**5, draw), _one_of(_WORDS, draw), _digits(10**9, draw)),
            "note": _with_gaps(_joined(" ", _one_of(_WORDS, draw), _one_of(_WORDS, draw), _digits(10**6, draw)), draw),
        }
    )
    return table, float(walk[-1])


def _one_of(texts: list[str], draw: np.random.Generator) -> pa.Array:
    return pc.take(pa.array(texts), pa.array(draw.integers(0, len(texts), CHUNK_ROWS)))


def _digits(below: int, draw: np.random.Generator) -> pa.Array:
    return pa.array(draw.integers(0, below, CHUNK_ROWS)).cast(pa.string())


def _joined(between: str, *parts: pa.Array) -> pa.Array:
    return pc.binary_join_element_wise(*parts, between)


def _with_gaps(texts: pa.Array, draw: np.random.Generator) -> pa.Array:
    return pc.if_else(pa.array(draw.random(CHUNK_ROWS) < 0.3), pa.scalar(None, pa.string()), texts)
