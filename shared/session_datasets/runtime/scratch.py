"""Room on disk for a file that is being registered, swept of what a killed process left behind.

Lambda keeps /tmp when it replaces a function's process after a time-out or a lack of memory; the next call in that
environment, perhaps of another owner, would find the disk full of the dead one's work.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

_FOLDER = "session-datasets"


def swept_scratch(root: Path | None = None) -> Path:
    """This process's own folder, made anew; the folders of processes that are no more are removed.

    Call it once a process. ``root`` is the system's temporary folder when None.
    """
    base = (root or Path(tempfile.gettempdir())) / _FOLDER
    own = base / str(os.getpid())
    base.mkdir(parents=True, exist_ok=True)
    for each in base.iterdir():
        # A folder of this very process id is left from a dead process that had it before.
        if each == own or not _alive(each.name):
            shutil.rmtree(each, ignore_errors=True)
    own.mkdir()
    return own


def _alive(name: str) -> bool:
    try:
        os.kill(int(name), 0)
    except (ValueError, ProcessLookupError):
        return False
    except PermissionError:
        return True
    return True
