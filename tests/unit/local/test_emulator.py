"""Starting and stopping any emulator, tried on one of a few lines."""

from __future__ import annotations

import fcntl
import os
import socket
import subprocess
import sys
import textwrap
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from infra.local.emulator import Emulator, EmulatorError, _group_lives

SERVER = """
    import fcntl, http.server, json, os, pathlib, subprocess, sys

    class Health(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            body = json.dumps({"version": "1.0"}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    print("this is the log", flush=True)
    pathlib.Path("environment.json").write_text(json.dumps(dict(os.environ)))
    held = pathlib.Path("held-by-child").open("w")
    fcntl.flock(held, fcntl.LOCK_EX)
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], pass_fds=(held.fileno(),))
    held.close()
    http.server.HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Health).serve_forever()
"""


class Small(Emulator):
    name = "Small"
    version = "1.0"
    health_path = "/health"
    program = SERVER

    def command(self) -> list[str]:
        self.state.mkdir(parents=True, exist_ok=True)
        (self.state / "small_emulator.py").write_text(textwrap.dedent(self.program))
        return [sys.executable, "small_emulator"]

    def settings(self, port: int) -> Mapping[str, str]:
        return {"PORT": str(port), "PYTHONPATH": str(self.state)}


class Childless(Small):
    # Who is killed ends nobody: a child of its own would outlive the test.
    program = "".join(line for line in SERVER.splitlines(keepends=True) if "subprocess.Popen" not in line)


class Ending(Small):
    program = "print('no such luck'); raise SystemExit(3)"


class Newer(Small):
    version = "2.0"


def test_it_answers_while_the_context_lasts_and_not_after(tmp_path: Path) -> None:
    with Small(tmp_path) as emulator:
        assert emulator.runs
        assert emulator.endpoint.startswith("http://127.0.0.1:")
    assert not emulator.runs
    with pytest.raises(EmulatorError, match="does not run"):
        _ = emulator.endpoint


def test_what_it_started_ends_with_it(tmp_path: Path) -> None:
    with Small(tmp_path):
        assert not _is_free(tmp_path / "held-by-child")
    assert _is_free(tmp_path / "held-by-child")


def test_one_that_is_interrupted_while_it_starts_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    emulator = Small(tmp_path)
    monkeypatch.setattr(Small, "_await_health", interrupt)
    with pytest.raises(KeyboardInterrupt):
        emulator.start(detached=True)
    assert not emulator.runs


def test_one_that_could_not_write_down_its_process_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started = []

    def interrupt(written: dict[str, int]) -> str:
        started.append(written["pid"])
        raise KeyboardInterrupt

    monkeypatch.setattr("infra.local.emulator.json.dumps", interrupt)
    with pytest.raises(KeyboardInterrupt):
        Small(tmp_path).start()
    assert started != []
    assert not _group_lives(started[0])


def test_one_that_ends_while_starting_raises_with_the_tail_of_its_log(tmp_path: Path) -> None:
    with pytest.raises(EmulatorError, match=r"ended while it was starting[\s\S]*no such luck"):
        Ending(tmp_path).start()


def test_one_of_another_version_is_refused_and_stopped(tmp_path: Path) -> None:
    emulator = Newer(tmp_path)
    with pytest.raises(EmulatorError, match=r"version '1\.0' instead of '2\.0'"):
        emulator.start()
    assert not emulator.runs


def test_a_second_one_in_the_same_directory_is_refused_and_the_first_lives_on(tmp_path: Path) -> None:
    with Small(tmp_path) as first:
        endpoint = first.endpoint
        with pytest.raises(EmulatorError, match="already runs"):
            Small(tmp_path).start()
        assert first.endpoint == endpoint


def test_another_object_finds_and_stops_it(tmp_path: Path) -> None:
    endpoint = Small(tmp_path).start(detached=True)
    found = Small(tmp_path)
    try:
        assert found.endpoint == endpoint
    finally:
        found.stop()
    assert not found.runs


def test_a_taken_port_is_left_to_its_owner(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as owner:
        taken = owner.getsockname()[1]
        with Small(tmp_path, port=taken) as emulator:
            assert not emulator.endpoint.endswith(f":{taken}")


def test_a_free_port_that_is_wanted_is_used(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as owner:
        wanted = owner.getsockname()[1]
    with Small(tmp_path, port=wanted) as emulator:
        assert emulator.endpoint == f"http://127.0.0.1:{wanted}"


def test_nothing_of_the_hosts_environment_reaches_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "the real one")
    monkeypatch.setenv("MY_TOKEN", "secret")
    with Small(tmp_path):
        environment = (tmp_path / "environment.json").read_text()
    assert "the real one" not in environment
    assert "MY_TOKEN" not in environment
    assert f'"HOME": "{tmp_path}"' in environment


def test_it_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    program = f"""
        import os, pathlib
        from tests.unit.local.test_emulator import Childless
        Childless(pathlib.Path({str(tmp_path)!r})).start()
        os._exit(9)
    """
    root = Path(__file__).parents[3]
    environment = {**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{root / 'shared'}"}
    parent = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], env=environment, cwd=root, check=False)
    assert parent.returncode == 9
    emulator = Childless(tmp_path)
    deadline = time.monotonic() + 60
    while emulator.runs and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not emulator.runs


def _is_free(file: Path) -> bool:
    """Whether no process holds the lock on `file`; a dead one holds none, even before it is reaped."""
    with file.open() as opened:
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True
