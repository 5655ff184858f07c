"""The demo shows what it promises, cleans up behind itself, and ends well when it is interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from infra.local.demo.cloud import HOME
from infra.local.places import ROOT

COMMAND = [sys.executable, "-m", "infra.local.demo"]
SECONDS = 500


def start(*arguments: str, process_group: int | None = None, **variables: str) -> subprocess.Popen[str]:
    paths = os.pathsep.join((str(ROOT), str(ROOT / "shared")))
    return subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": paths, "PYTHONUNBUFFERED": "1", **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=hear_interrupts,
        process_group=process_group,
    )


def hear_interrupts() -> None:
    """A test run in the background ignores interrupts, and so would every process that it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def leftovers() -> list[str]:
    """What a run of the demo keeps of its own: its folder, and processes that work in it."""
    directories = [directory_of(process) for process in Path("/proc").glob("[0-9]*")]
    working = [directory for directory in directories if directory.startswith(f"{HOME}/run-")]
    return [str(folder) for folder in HOME.glob("run-*")] + working


def directory_of(process: Path) -> str:
    """Where a process works, even when that directory is gone; nothing when the process is."""
    try:
        return os.readlink(process / "cwd")
    except OSError:
        return ""


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


def test_a_demo_that_is_interrupted_while_its_cloud_starts_leaves_nothing(tmp_path: Path) -> None:
    file = tmp_path / "noise.bin"
    file.write_bytes(os.urandom(1_000))
    demo = start(str(file))
    wait_for_process_in("cloud", demo)
    demo.send_signal(signal.SIGINT)
    told, _ = demo.communicate(timeout=SECONDS)
    assert demo.returncode == 130, told
    assert "opened two sessions" not in told
    assert leftovers() == []


def test_an_interrupt_of_both_nodes_is_told_once(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text("a,b\n" + "".join(f"{n},{n}\n" for n in range(1_000)))
    demo = start(str(file), process_group=0)
    wait_for_process_in("node-two", demo)
    os.killpg(demo.pid, signal.SIGINT)
    told, _ = demo.communicate(timeout=SECONDS)
    assert demo.returncode == 130, told
    assert told.rstrip().splitlines()[-1] == "Interrupted; the embedded AWS is down."
    assert "Traceback" not in told
    assert leftovers() == []


def wait_for_process_in(folder: str, demo: subprocess.Popen[str]) -> None:
    """Until a process works in that folder of the run, or the demo ends before one does."""
    while demo.poll() is None and not any(
        directory_of(process).startswith(f"{HOME}/run-") and directory_of(process).endswith(f"/{folder}")
        for process in Path("/proc").glob("[0-9]*")
    ):
        time.sleep(0.01)


def test_a_shell_whose_aws_profile_is_gone_runs_the_demo(tmp_path: Path) -> None:
    file = tmp_path / "prices.csv"
    file.write_text("day;price\n" + "".join(f"2024-01-{n:02};{n},5\n" for n in range(1, 29)))
    demo = start(str(file), AWS_PROFILE="gone", AWS_CONFIG_FILE=str(tmp_path / "gone"))
    told, _ = demo.communicate(timeout=SECONDS)
    assert demo.returncode == 0, told
    assert "opened it with Python's csv module: 28 rows, as registered" in told


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
