"""The pinned CDK command line, and the deployment of the project's stack to an emulator with it."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

from infra.local import node
from infra.local.deployed import DeployedStack
from infra.local.places import LOCAL, ROOT, TOOLS
from infra.local.steps import BOOTSTRAPPING, SYNTHESIZING, OnStep, nobody, step_of
from infra.local.surroundings import ACCESS_KEY, ACCOUNT, REGION, SECRET_KEY, aws_client, scrubbed
from infra.local.tools import ToolError
from session_datasets.domain.names import DEFAULT_STACK

TOOLKIT_STACK = "CDKToolkit"
DEPLOY_SECONDS = 600


class DeployError(Exception):
    """The CDK command line failed; the text ends with what it printed."""


@dataclass(frozen=True)
class Call:
    """How the command line is called against one emulator; `work` is a directory to be thrown away."""

    endpoint: str
    work: Path
    log: Path | None
    certificate: Path | None = None
    tell: OnStep = nobody

    def cdk(self, directory: Path, *arguments: str) -> None:
        """Run one command in `directory`; raises DeployError with what it printed."""
        command = [str(command_line()), *arguments, "--ci", "--no-color", "--no-notices"]
        status, printed = self._run(command, directory)
        if self.log is not None:
            with self.log.open("a") as file:
                file.write(printed)
        if status:
            raise DeployError(f"cdk {' '.join(arguments)} failed ({status}):\n{printed[-6000:]}")

    def _run(self, command: Sequence[str], directory: Path) -> tuple[int, str]:
        """Its status, and what it printed; each line is looked at as it comes."""
        lines: list[str] = []
        with subprocess.Popen(
            command,
            cwd=directory,
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as process:
            ended = threading.Timer(DEPLOY_SECONDS, process.kill)
            ended.start()
            try:
                for line in process.stdout or ():
                    lines.append(line)
                    if step := step_of(line):
                        self.tell(*step)
                status = process.wait()
            except BaseException:
                process.kill()
                raise
            finally:
                ended.cancel()
        return status, "".join(lines)

    def _environment(self) -> Mapping[str, str]:
        return {
            **scrubbed(self.work),
            **aws_client(self.endpoint, self.certificate),
            **node.environment(),
            "CDK_HOME": str(_made(LOCAL / "cdk")),
            "CDK_DISABLE_CLI_TELEMETRY": "true",
            # The rules are checked where the template is tested; here they would cost half of the time.
            "CDK_VALIDATION": "false",
            "CDK_DEFAULT_ACCOUNT": ACCOUNT,
            "CDK_DEFAULT_REGION": REGION,
        }


def command_line() -> Path:
    """The ``cdk`` program, installed from package-lock.json under ``.local`` when it is not there yet."""
    place = TOOLS / "cdk"
    inputs = [ROOT / "package.json", ROOT / "package-lock.json"]
    wanted = hashlib.sha256(b"".join(file.read_bytes() for file in inputs)).hexdigest()
    stamp = place / "installed-from"
    place.mkdir(parents=True, exist_ok=True)
    with (TOOLS / "cdk.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not stamp.is_file() or stamp.read_text() != wanted:
            _install(place, inputs)
            stamp.write_text(wanted)
    return place / "node_modules" / ".bin" / "cdk"


def run(arguments: Sequence[str]) -> int:
    """Run the command line for a real account, in the caller's environment and terminal; its exit status."""
    environment = {**os.environ, **node.environment()}
    command = [str(command_line()), *arguments, "--app", _app()]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


def deploy(
    endpoint: str,
    *,
    stack: str = DEFAULT_STACK,
    env: str = "local",
    log: Path | None = None,
    certificate: Path | None = None,
    source: Path = ROOT,
    tell: OnStep = nobody,
) -> DeployedStack:
    """Bootstrap the emulator when it needs it and deploy the stack; raises DeployError.

    `log` receives what the CDK prints; without it the output is shown only when the deployment fails. `certificate`
    is that of an endpoint that speaks TLS. `source` is the folder of the app: another one to rehearse an upgrade.
    `tell` is called with each step.
    """
    with tempfile.TemporaryDirectory(prefix="deploy-", dir=_made(LOCAL)) as scratch:
        work = Path(scratch)
        call = Call(endpoint, work, log, certificate, tell)
        if not exists(endpoint, TOOLKIT_STACK, certificate):
            # Away from cdk.json: what to bootstrap is said in full, there is no need to synthesize the app for it.
            tell(BOOTSTRAPPING, "")
            # Its resources are not the stack's, whose number would be told.
            replace(call, tell=nobody).cdk(work, "bootstrap", f"aws://{ACCOUNT}/{REGION}")
        outputs = work / "outputs.json"
        context = ["--context", f"env={env}", "--context", f"stack={stack}", "--app", _app(source)]
        choices = ["--require-approval", "never", "--progress", "events", "--output", str(work / "cdk.out")]
        tell(SYNTHESIZING, "")
        call.cdk(source, "deploy", stack, "--outputs-file", str(outputs), *choices, *context)
        told = json.loads(outputs.read_text()).get(stack, {})
        return DeployedStack(stack, endpoint, told, certificate=certificate)


def exists(endpoint: str, stack: str, certificate: Path | None = None) -> bool:
    """Whether `stack` stands, complete, in the account behind `endpoint`."""
    return _status(_cloudformation(endpoint, certificate), stack).endswith("_COMPLETE")


def existing(endpoint: str, stack: str) -> DeployedStack:
    """The stack as an earlier deployment left it; raises ClientError when there is none."""
    description = _cloudformation(endpoint).describe_stacks(StackName=stack)["Stacks"][0]
    outputs = {output["OutputKey"]: output["OutputValue"] for output in description.get("Outputs", [])}
    return DeployedStack(stack, endpoint, outputs)


def _status(formation: Any, stack: str) -> str:
    try:
        return str(formation.describe_stacks(StackName=stack)["Stacks"][0]["StackStatus"])
    except ClientError:
        return "NONE"


def _cloudformation(endpoint: str, certificate: Path | None = None) -> Any:
    return boto3.client(
        "cloudformation",
        endpoint_url=endpoint,
        verify=str(certificate) if certificate else None,
        region_name=REGION,
        aws_access_key_id=ACCESS_KEY,
        aws_secret_access_key=SECRET_KEY,
        config=Config(connect_timeout=5, read_timeout=60),
    )


def _app(source: Path = ROOT) -> str:
    """The app's command, with this interpreter and not with whichever ``python`` the path holds, on its own package."""
    return shlex.join(["env", f"PYTHONPATH={source / 'shared'}", sys.executable, str(source / "app.py")])


def _install(place: Path, inputs: Sequence[Path]) -> None:
    print(f"Installing the CDK command line under {place} (once) ...", file=sys.stderr, flush=True)
    for file in [*inputs, ROOT / ".npmrc"]:
        shutil.copy(file, place)
    done = subprocess.run(
        [*node.npm(), "ci", "--ignore-scripts"],
        cwd=place,
        env={**os.environ, **node.environment()},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise ToolError(f"npm ci failed ({done.returncode}):\n{done.stderr[-4000:]}")


def _made(directory: Path) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    return directory
