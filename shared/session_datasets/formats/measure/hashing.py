"""Hashes of many values at once: 64 bits each, the same on every machine and in every run.

Equal values have equal hashes; different numbers of up to 64 bits have different ones. Texts are hashed 32 bytes at a
time, all of a batch together: a hash is the sum of what its words of 8 bytes contribute, each mixed with a constant of
its place, and a word beyond a text's end contributes nothing, so that no hash depends on the batch around it.
"""

from __future__ import annotations

import hashlib
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as kind
from numpy.typing import NDArray

from session_datasets.formats.values.nested import is_binary, is_text

Hashes = NDArray[np.uint64]
Places = NDArray[np.int64]

_WORD_BYTES = 8
_BLOCK_WORDS = 4
_BLOCK_BYTES = _BLOCK_WORDS * _WORD_BYTES
# Longer texts are few in a batch: each is hashed on its own, at a gigabyte a second.
_LONG_BYTES = 512
_ALL_BITS = np.uint64(2**64 - 1)
# MurmurHash3's finalizer.
_FIRST, _SECOND = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)
_HALF = np.uint64(32)
_THIRD = np.uint64(33)
# The hash of zero, and of no text, would be zero otherwise, the smallest of all.
_SEED = np.uint64(0x9E3779B97F4A7C15)


def _mixed(hashes: Hashes) -> Hashes:
    """Every bit depends on every bit; in place, and without two becoming one."""
    hashes ^= hashes >> _THIRD
    hashes *= _FIRST
    hashes ^= hashes >> _THIRD
    hashes *= _SECOND
    hashes ^= hashes >> _THIRD
    return hashes


# One odd constant for each word of a text.
_PLACES = _mixed(np.arange(1, _LONG_BYTES // _WORD_BYTES + 1, dtype=np.uint64) * _SEED) | np.uint64(1)


def number_hashes(numbers: NDArray[Any]) -> Hashes:
    """One hash for each integer or floating point number; -0.0 is 0.0."""
    if numbers.dtype.kind == "f":
        words = (numbers.astype(np.float64, copy=False) + 0.0).view(np.uint64)
    else:
        words = numbers.astype(np.int64, copy=False).view(np.uint64)
    return _mixed(words ^ _SEED)


@dataclass(frozen=True, slots=True)
class Spans:
    """Where the bytes of values lie in ``data``, which goes on for a block beyond the last of them."""

    data: NDArray[np.uint8]
    starts: Places
    lengths: Places

    @property
    def is_ascii(self) -> bool:
        if not len(self.starts):
            return True
        end = int((self.starts + self.lengths).max())
        return end == (begin := int(self.starts.min())) or int(self.data[begin:end].max()) < 128


def spans(values: pa.Array) -> Spans:
    """The bytes of the texts, binaries or decimals among ``values`` that are not null."""
    starts, lengths = _places(values)
    if values.null_count:
        valid = values.is_valid().to_numpy(zero_copy_only=False)
        starts, lengths = starts[valid], lengths[valid]
    return Spans(_with_room(values.buffers()[-1], starts, lengths), starts, lengths)


def _places(values: pa.Array) -> tuple[Places, Places]:
    """Where each value starts, and its length, nulls among them."""
    if not len(values):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    if not _is_of_any_length(values.type):
        width = values.type.byte_width
        starts = np.arange(values.offset, values.offset + len(values), dtype=np.int64) * width
        return starts, np.full(len(values), width, np.int64)
    wide = kind.is_large_string(values.type) or kind.is_large_binary(values.type)
    offsets = np.frombuffer(values.buffers()[1], np.int64 if wide else np.int32)
    kept: Places = offsets[values.offset : values.offset + len(values) + 1].astype(np.int64, copy=False)
    return kept[:-1], np.diff(kept)


def _is_of_any_length(type_: pa.DataType) -> bool:
    return is_text(type_) or (is_binary(type_) and not kind.is_fixed_size_binary(type_))


def _with_room(buffer: pa.Buffer | None, starts: Places, lengths: Places) -> NDArray[np.uint8]:
    """The buffer's bytes, copied only if they end less than a block after the last value that is hashed by blocks."""
    held = np.empty(0, np.uint8) if buffer is None else np.frombuffer(buffer, np.uint8)
    ends = starts + lengths
    if len(held) >= int(ends[lengths <= _LONG_BYTES].max(initial=-_BLOCK_BYTES)) + _BLOCK_BYTES:
        return held
    end = int(ends.max())
    roomy = np.zeros(end + _BLOCK_BYTES, np.uint8)
    roomy[:end] = held[:end]
    return roomy


def span_hashes(values: Spans) -> Hashes:
    """One hash for each value."""
    hashes = (values.lengths.view(np.uint64) + np.uint64(1)) * _SEED
    starts, left = values.starts, values.lengths
    rows: NDArray[np.intp] | slice = slice(None)
    if len(left) and int(left.max()) > _LONG_BYTES:
        for row in np.flatnonzero(left > _LONG_BYTES):
            hashes[row] = _long_hash(values.data[starts[row] : starts[row] + left[row]])
        rows = np.flatnonzero(left <= _LONG_BYTES)
        starts, left = starts[rows], left[rows]
    for block in range(_LONG_BYTES // _BLOCK_BYTES):
        if not len(left) or not int(left.max()):
            break
        hashes[rows] += _block(values.data, starts, left, _PLACES[_BLOCK_WORDS * block :])
        more = np.flatnonzero(left > _BLOCK_BYTES)
        rows = more if isinstance(rows, slice) else rows[more]
        starts, left = starts[more] + _BLOCK_BYTES, left[more] - _BLOCK_BYTES
    return _mixed(hashes)


def _block(data: NDArray[np.uint8], starts: Places, left: Places, places: NDArray[np.uint64]) -> Hashes:
    """What the next block of each value adds to its hash; ``left`` bytes of the value are left to hash."""
    words = min(_BLOCK_WORDS, -(-int(left.max()) // _WORD_BYTES))
    width = words * _WORD_BYTES
    # A window at every byte: one gather copies all words of a value.
    windows = np.ndarray((len(data) - width + 1,), f"V{width}", data, strides=(1,))
    found = windows[starts].view(np.uint64).reshape(-1, words)
    least, short = int(left.min()), np.minimum(left, _BLOCK_BYTES).astype(np.uint8)
    added = np.zeros(len(starts), np.uint64)
    for place in range(words):
        begin, end = place * _WORD_BYTES, (place + 1) * _WORD_BYTES
        word = found[:, place]
        if least < end:
            word = word & _first_bytes(np.clip(short, begin, end) - np.uint8(begin))
        word = word * places[place]
        word ^= word >> _HALF
        word *= _SECOND
        added += word
    return added


def _first_bytes(counts: NDArray[np.uint8]) -> Hashes:
    """Words with ones in the first so many of their bytes in memory."""
    unwanted = ((np.uint8(_WORD_BYTES) - counts) * np.uint8(8)).astype(np.uint64)
    return _ALL_BITS >> unwanted  # all 64 of them leave nothing, as numpy defines it


def _long_hash(text: NDArray[np.uint8]) -> np.uint64:
    return np.uint64(int.from_bytes(hashlib.blake2b(text.data, digest_size=_WORD_BYTES).digest(), "little"))


# Words are read as they lie in memory: a machine of the other byte order would make other hashes, not wrong ones.
assert sys.byteorder == "little"
