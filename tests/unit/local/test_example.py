"""What runs an example, tried with programs of our own and without a cloud."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

import pytest

from infra.local import background, cdk, example
from infra.local.demo import cloud
from infra.local.deployed import DeployedStack
from infra.local.steps import DEPLOYING, SYNTHESIZING, OnStep

STACK = DeployedStack("mine", "http://127.0.0.1:9")


def program(folder: Path, text: str, name: str = "first") -> Path:
    (folder / name).mkdir()
    file = folder / name / "main.py"
    file.write_text(text)
    return file


def test_it_runs_with_the_environment_of_the_stack(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    names = "AWS_ENDPOINT_URL", "SESSION_DATASETS_STACK"
    status = example.run(program(tmp_path, f"import os\nprint(*map(os.environ.get, {names}))"), STACK)
    assert (status, capfd.readouterr().out) == (0, "http://127.0.0.1:9 mine\n")


def test_its_status_is_the_programs_own(tmp_path: Path) -> None:
    assert example.run(program(tmp_path, "raise SystemExit(3)"), STACK) == 3


def test_the_directory_it_works_in_is_removed(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text = "import os, tempfile\nopen('left', 'w').close()\nprint(os.getcwd(), tempfile.mkdtemp(), sep='\\n')"
    example.run(program(tmp_path, text), STACK)
    worked_in, made = map(Path, capfd.readouterr().out.splitlines())
    assert (worked_in.exists(), made.exists()) == (False, False)


def test_it_imports_what_lies_beside_it(tmp_path: Path) -> None:
    main = program(tmp_path, "import beside")
    main.with_name("beside.py").touch()
    assert example.run(main, STACK) == 0


def test_a_process_that_it_leaves_running_is_ended(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text = "import subprocess, sys\nprint(subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']).pid)"
    example.run(program(tmp_path, text), STACK)
    assert not runs(int(capfd.readouterr().out))


def test_an_interrupt_ends_it_and_what_it_has_started(tmp_path: Path) -> None:
    told = tmp_path / "pid"
    text = f"import os, time\nopen({str(told)!r}, 'w').write(str(os.getpid()))\ntime.sleep(600)"
    main = program(tmp_path, text)
    code = (
        "import signal, sys\nfrom pathlib import Path\nfrom infra.local import example\n"
        "from infra.local.deployed import DeployedStack\nsignal.signal(signal.SIGTERM, example._as_interrupt)\n"
        f"example.run(Path({str(main)!r}), DeployedStack('mine', 'http://127.0.0.1:9'))"
    )
    runner = subprocess.Popen([sys.executable, "-c", code], cwd=example.ROOT, stderr=subprocess.DEVNULL)
    while not (told.is_file() and told.read_text()):
        assert runner.poll() is None
        time.sleep(0.01)
    runner.send_signal(signal.SIGTERM)
    runner.wait()
    assert not runs(int(told.read_text()))


def runs(process: int) -> bool:
    """Whether a process runs, or is about to end because it was killed; given a moment for that."""
    for _ in range(500):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return False
        stat = Path(f"/proc/{process}/stat")
        if stat.is_file() and stat.read_text().rpartition(")")[2].split()[0] in "ZX":
            return False
        time.sleep(0.01)
    return True


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("frist", "There is no example 'frist'. Did you mean first?"),
        ("../first", "There is no example '../first'. Did you mean first?"),
        ("other", "There is no example 'other'. The examples:"),
    ],
)
def test_a_name_that_is_none_is_answered_with_all_of_them(tmp_path: Path, name: str, said: str) -> None:
    program(tmp_path, "").with_name("README.md").write_text("# The first of all\n\nMore.\n")
    with pytest.raises(example.ExampleError) as refused:
        example.found(name, tmp_path)
    assert str(refused.value).startswith(said)
    assert str(refused.value).endswith(f"  make example NAME={'first':<24} The first of all")


def test_without_a_name_all_of_them_are_listed_and_nothing_has_failed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(example, "forget_aws", lambda: None)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    assert example.main([""]) == 0
    told = capsys.readouterr().out
    assert told.startswith("Say which. The examples:\n")
    assert [f"NAME={name} " in told for name in example.names()] == [True] * len(example.names())


def test_what_is_waited_for_is_told_before_the_program_says_a_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    program(tmp_path, "import sys\nprint('the program', file=sys.stderr)")
    known = example.found

    @contextmanager
    def copied(deploying: AbstractContextManager[OnStep]) -> Iterator[Path]:
        with deploying as tell:
            tell(SYNTHESIZING, "")
            tell(DEPLOYING, "1 of 2")
            tell(DEPLOYING, "2 of 2")
        yield tmp_path

    monkeypatch.setattr(example, "found", lambda name: known(name, tmp_path))
    monkeypatch.setattr(example, "forget_aws", lambda: None)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.setattr(cloud, "is_deployed", lambda: False)
    monkeypatch.setattr(cloud, "copied_state", copied)
    monkeypatch.setattr(cloud, "running", lambda state: nullcontext(STACK))
    assert example.main(["first"]) == 0
    assert capfd.readouterr().err.splitlines() == [
        "Starting a throwaway cloud ...",
        "Deploying the stack into it; only the first run after a change of the sources waits for this ...",
        f"· {SYNTHESIZING} ...",
        f"· {DEPLOYING} ...",
        "Starting a copy of what was deployed ...",
        "Running first ...",
        "the program",
    ]


def test_a_stack_of_a_cloud_that_is_not_up_is_refused_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(background, "STATE", tmp_path)
    monkeypatch.setattr(example, "forget_aws", lambda: None)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    assert example.main(["two_node_handoff", "--stack", "mine"]) == 2
    assert "No local cloud is up. Start one with `make up`" in capsys.readouterr().err


class Up:
    """A local cloud that is up."""

    runs = True
    endpoint = "http://127.0.0.1:9"


@pytest.mark.parametrize(("exists", "status"), [(True, 0), (False, 2)], ids=["deployed", "not deployed"])
def test_a_stack_of_a_cloud_that_is_up_is_used_if_it_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], exists: bool, status: int
) -> None:
    program(tmp_path, "import os\nprint('ran on', os.environ['SESSION_DATASETS_STACK'])")
    known = example.found
    monkeypatch.setattr(example, "found", lambda name: known(name, tmp_path))
    monkeypatch.setattr(example, "forget_aws", lambda: None)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.setattr(background, "emulator", Up)
    monkeypatch.setattr(cdk, "exists", lambda endpoint, stack: exists)
    monkeypatch.setattr(cdk, "existing", lambda endpoint, stack: DeployedStack(stack, endpoint))
    assert example.main(["first", "--stack", "mine"]) == status
    told = capfd.readouterr()
    assert told.out == ("ran on mine\n" if exists else "")
    assert ("The local cloud has no stack 'mine'." in told.err) is not exists
