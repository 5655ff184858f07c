"""The demo shows what it promises, cleans up behind itself, and ends well when it is interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from infra.local.demo.cloud import HOME
from infra.local.places import ROOT

COMMAND = [sys.executable, "-m", "infra.local.demo"]
SECONDS = 500


def start(*arguments: str) -> subprocess.Popen[str]:
    paths = os.pathsep.join((str(ROOT), str(ROOT / "shared")))
    return subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": paths, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=hear_interrupts,
    )


def hear_interrupts() -> None:
    """A test run in the background ignores interrupts, and so would every process that it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def leftovers() -> list[str]:
    """What a run of the demo keeps of its own: its folder, and processes that work in it."""
    commands = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    working = [command.decode(errors="replace") for command in commands if f"{HOME}/run-".encode() in command]
    return [str(folder) for folder in HOME.glob("run-*")] + working


def test_a_file_is_handed_over_and_nothing_is_left(tmp_path: Path) -> None:
    file = tmp_path / "prices.csv"
    file.write_text("day,price\n" + "".join(f"2024-01-{n:02},{n}.5\n" for n in range(1, 29)))
    demo = start(str(file))
    told, _ = demo.communicate(timeout=SECONDS)
    assert demo.returncode == 0, told
    for promise in (
        "first page, from row 0",
        "last page, from row 24",
        "charted price and day over 28 rows",
        "its sha256 is the registered one",
        "opened it with Python's csv module: 28 rows, as registered",
        "the original, byte for byte",
        "refused: No artifact with this id can be reached from this session.",
        "Rows through a prompt: 0 of 28",
    ):
        assert promise in told
    assert leftovers() == []


def test_an_interrupted_demo_ends_its_cloud(tmp_path: Path) -> None:
    file = tmp_path / "noise.bin"
    file.write_bytes(os.urandom(1_000))
    demo = start(str(file))
    assert demo.stdout is not None
    for line in demo.stdout:
        if "opened two sessions" in line:
            break
    demo.send_signal(signal.SIGINT)
    told, _ = demo.communicate(timeout=SECONDS)
    assert demo.returncode == 130, told
    assert "Interrupted" in told
    assert leftovers() == []


def test_a_missing_file_is_told_without_a_traceback() -> None:
    demo = start("nowhere.csv")
    told, _ = demo.communicate(timeout=SECONDS)
    assert demo.returncode == 1
    assert "nowhere.csv" in told
    assert "Traceback" not in told
