"""Just enough of the ELF format to ask a shared library what it runs on and what it needs."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

MACHINES = {0x3E: "x86_64", 0xB7: "aarch64"}

_DYNAMIC_SECTION = 6  # SHT_DYNAMIC
_NEEDED = 1  # DT_NEEDED


@dataclass(frozen=True)
class SharedLibrary:
    """``machine`` as Linux calls it; ``needed`` are the file names the loader looks for."""

    machine: str
    needed: frozenset[str]


def read_shared_library(path: Path) -> SharedLibrary:
    """Parse a 64-bit little-endian library; ``ValueError`` for any other file."""
    content = path.read_bytes()
    if content[:6] != b"\x7fELF\x02\x01":
        raise ValueError(f"{path.name} is not a 64-bit little-endian ELF file")
    (machine,) = struct.unpack_from("<H", content, 18)
    return SharedLibrary(MACHINES[machine], frozenset(_needed(content)))


def _needed(content: bytes) -> list[str]:
    sections = _sections(content)
    names = []
    for kind, offset, size, link in sections:
        if kind == _DYNAMIC_SECTION:
            strings = sections[link][1]
            for tag, value in struct.iter_unpack("<QQ", content[offset : offset + size]):
                if tag == _NEEDED:
                    names.append(_text_at(content, strings + value))
    return names


def _sections(content: bytes) -> list[tuple[int, int, int, int]]:
    """(type, file offset, size, link) of every section."""
    (table,) = struct.unpack_from("<Q", content, 0x28)
    entry_size, count = struct.unpack_from("<HH", content, 0x3A)
    sections = []
    for index in range(count):
        start = table + index * entry_size
        (kind,) = struct.unpack_from("<I", content, start + 4)
        offset, size, link = struct.unpack_from("<QQI", content, start + 24)
        sections.append((kind, offset, size, link))
    return sections


def _text_at(content: bytes, offset: int) -> str:
    return content[offset : content.index(b"\0", offset)].decode()
