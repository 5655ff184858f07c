"""Where things lie on this machine. Everything that is made goes under ``.local``, which git ignores."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOCAL = ROOT / ".local"
TOOLS = LOCAL / "tools"
REQUIREMENTS = Path(__file__).parent / "requirements"
