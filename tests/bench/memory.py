"""The most memory that this process ever held."""

from __future__ import annotations

import resource
import sys

_BYTES_PER_MB = 1_000_000


def peak_mb() -> float:
    """Resident megabytes. From /proc where there is one: the number of getrusage begins with the parent's."""
    try:
        with open("/proc/self/status") as status:
            for line in status:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024 / _BYTES_PER_MB
    except OSError:
        pass
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / _BYTES_PER_MB
