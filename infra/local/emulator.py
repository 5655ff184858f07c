"""One emulated AWS: a child process on the loopback interface, with its state and its log in one directory."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import time
import urllib.error
import urllib.request
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, ClassVar, Self

from infra.local.surroundings import scrubbed

LAUNCH = Path(__file__).parent / "launch.py"
HOST = "127.0.0.1"
START_SECONDS = 90.0
STOP_SECONDS = 20.0
KILL_SECONDS = 2.0
CLAIM_SECONDS = 1.0
POLL_SECONDS = 0.05
LOG_TAIL_LINES = 40


class EmulatorError(Exception):
    """An emulator did not start, or is not what it should be; the text ends with the tail of its log."""


class Emulator(ABC):
    """Start and stop one emulator whose files live in `state`.

    The child inherits an open, locked file (``state/running``). As long as the child lives the lock is held,
    so "does it run?" is asked of the lock, and the process id in the file is never taken for a stranger's.
    """

    name: ClassVar[str]
    version: ClassVar[str]
    health_path: ClassVar[str]

    def __init__(self, state: Path, *, port: int | None = None) -> None:
        """`port` is used when it is free; without one, or when it is taken, the system picks a free port."""
        self.state = state.resolve()
        self.log = self.state / "emulator.log"
        self._running = self.state / "running"
        self._wanted_port = port
        self._child: subprocess.Popen[bytes] | None = None

    @abstractmethod
    def command(self) -> list[str]:
        """The command line after ``python launch.py``, its interpreter first; installs what it needs."""

    @abstractmethod
    def settings(self, port: int) -> Mapping[str, str]:
        """The emulator's own environment variables."""

    @property
    def certificate(self) -> Path | None:
        """What a client must trust to speak TLS with it; None when it speaks plain HTTP. The file is there once the
        emulator runs."""
        return None

    @property
    def endpoint(self) -> str:
        """The URL of the running emulator; raises EmulatorError when it does not run."""
        running = self._read_running()
        if running is None:
            raise EmulatorError(f"{self.name} does not run in {self.state}.")
        return self._url(running["port"])

    def _url(self, port: int) -> str:
        return f"{'https' if self.certificate else 'http'}://{HOST}:{port}"

    @property
    def runs(self) -> bool:
        """Whether the emulator of this state directory is alive, whoever started it."""
        return self._read_running() is not None

    def start(self, *, detached: bool = False) -> str:
        """Start and wait until it is healthy; the endpoint. Detached, it outlives this process."""
        try:
            return self._start(detached)
        except BaseException:
            # An interrupt, too: until this returns nobody else knows that there is something to stop.
            if self._child is not None:
                self.stop()
            raise

    def _start(self, detached: bool) -> str:
        python, *arguments = self.command()
        shutil.rmtree(self.state / "tmp", ignore_errors=True)
        environment = scrubbed(self.state)
        port = _free_port(self._wanted_port)
        with self._running.open("a+") as claim, self.log.open("ab") as log:
            if not _claimed(claim):
                raise EmulatorError(f"{self.name} already runs in {self.state}.")
            claim.truncate(0)
            self._child = subprocess.Popen(
                [python, "-P", str(LAUNCH), *arguments, *([] if detached else ["--while-stdin-open"])],
                stdin=subprocess.DEVNULL if detached else subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self.state,
                env={**environment, **self.settings(port)},
                start_new_session=True,
                pass_fds=(claim.fileno(),),
            )
            claim.write(json.dumps({"pid": self._child.pid, "port": port}))
        self._await_health(self._url(port))
        return self._url(port)

    def stop(self) -> None:
        """End the emulator and every process of its group; does nothing when it does not run.

        When this returns nobody writes to the state directory any more.
        """
        leader = self._leader()
        if leader is not None:
            _signal_group(leader, signal.SIGTERM, only_leader=True)
            deadline = time.monotonic() + STOP_SECONDS
            while self.runs and time.monotonic() < deadline:
                self._reap()
                time.sleep(POLL_SECONDS)
            # What is left: the functions' processes, and an emulator that did not listen.
            _signal_group(leader, signal.SIGKILL)
            self._await_end_of_group(leader)
        if self._child is not None:
            self._child.wait()
            if self._child.stdin:
                self._child.stdin.close()
            self._child = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _await_health(self, endpoint: str) -> None:
        deadline = time.monotonic() + START_SECONDS
        while (found := _version_at(endpoint + self.health_path, self.certificate)) is None:
            self._reap()
            if not self.runs:
                self._refuse("ended while it was starting")
            if time.monotonic() > deadline:
                self._refuse(f"was not healthy after {START_SECONDS:.0f} seconds")
            time.sleep(POLL_SECONDS)
        if found != self.version:
            self._refuse(f"answers as version {found!r} instead of {self.version!r}")

    def _refuse(self, what: str) -> None:
        tail = "\n".join(self.log.read_text(errors="replace").splitlines()[-LOG_TAIL_LINES:])
        raise EmulatorError(f"{self.name} {what}. The end of {self.log}:\n{tail}")

    def _leader(self) -> int | None:
        """The process id of the running emulator; one that this object started may not have it in the file yet."""
        running = self._read_running()
        if running is not None:
            return running["pid"]
        return self._child.pid if self._child is not None and self._child.poll() is None else None

    def _await_end_of_group(self, leader: int) -> None:
        """A killed process ends when the system comes to it, and may write until then."""
        deadline = time.monotonic() + KILL_SECONDS
        while _group_lives(leader) and time.monotonic() < deadline:
            self._reap()
            time.sleep(POLL_SECONDS)

    def _reap(self) -> None:
        if self._child is not None:
            self._child.poll()

    def _read_running(self) -> dict[str, int] | None:
        """Process id and port when the lock is held, else None."""
        try:
            claim = self._running.open("r+")
        except FileNotFoundError:
            return None
        with claim:
            if _lock(claim, fcntl.LOCK_SH):
                return None
            content = claim.read()
        return json.loads(content) if content else None


def _claimed(file: IO[str]) -> bool:
    """Take the lock for an emulator to hold; readers share it for a moment only, so they are waited for."""
    deadline = time.monotonic() + CLAIM_SECONDS
    while not (taken := _lock(file, fcntl.LOCK_EX)) and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)
    return taken


def _lock(file: IO[str], kind: int) -> bool:
    """Take a lock on an open file without waiting; False when another process is in the way."""
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _free_port(wanted: int | None) -> int:
    for port in (wanted, 0) if wanted else (0,):
        with socket.socket() as probe:
            # Without this a port whose last connections are still closing would count as taken.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((HOST, port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise EmulatorError("This machine has no free port.")


def _version_at(url: str, certificate: Path | None) -> str | None:
    """The version a healthy emulator states at `url`; None while nothing answers there."""
    try:
        trust = ssl.create_default_context(cafile=certificate) if certificate else None
        with urllib.request.urlopen(url, timeout=5, context=trust) as answer:
            health: dict[str, Any] = json.load(answer)
    except (urllib.error.URLError, OSError, ValueError):
        return None
    return str(health.get("version"))


def _signal_group(leader: int, number: signal.Signals, *, only_leader: bool = False) -> None:
    try:
        if only_leader:
            os.kill(leader, number)
        else:
            os.killpg(leader, number)
    except ProcessLookupError:
        pass


def _group_lives(leader: int) -> bool:
    """Whether a process of the group runs; one that has ended and waits to be reaped does not."""
    try:
        os.killpg(leader, 0)
    except (ProcessLookupError, PermissionError):
        # macOS refuses where it finds only processes that wait to be reaped. Linux finds those, too.
        return False
    states = [_state_and_group(file) for file in Path("/proc").glob("[0-9]*/stat")]
    return not states or any(group == leader and state not in "ZX" for state, group in states)


def _state_and_group(file: Path) -> tuple[str, int]:
    """Of one process, from its line in Linux's ``/proc``: what it does, as a letter, and its group."""
    try:
        state, _, group = file.read_text().rpartition(")")[2].split()[:3]
    except (OSError, ValueError):
        return "X", 0
    return state, int(group)
