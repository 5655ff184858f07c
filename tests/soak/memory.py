"""What an emulator and its functions took, from Linux's ``/proc``."""

from __future__ import annotations

from pathlib import Path

_PROC = Path("/proc")


def told(leader: int) -> str:
    """The greatest memory of each process of the group, largest first; empty where there is no ``/proc``."""
    peaks = sorted((_peak_kib(each) for each in _members(leader)), reverse=True)
    if not peaks:
        return ""
    each = ", ".join(f"{kib // 1024:,}" for kib in peaks[:6])
    return f"memory of the emulator and its {len(peaks) - 1} other processes, at the most: {each} MiB"


def _members(leader: int) -> list[Path]:
    return [file.parent for file in _PROC.glob("[0-9]*/stat") if _group(file) == leader]


def _group(stat: Path) -> int | None:
    try:
        return int(stat.read_text().rpartition(")")[2].split()[2])
    except (OSError, ValueError, IndexError):
        return None


def _peak_kib(process: Path) -> int:
    try:
        lines = (process / "status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), 0)
