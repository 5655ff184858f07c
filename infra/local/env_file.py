"""``.local/env``: what a shell sources to talk to the local cloud, and the AWS profile beside it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from pathlib import Path

from infra.local.deployed import DeployedStack
from infra.local.places import LOCAL, ROOT
from infra.local.surroundings import ACCESS_KEY, SECRET_KEY

PROFILE = "orchestrator"
FILE = LOCAL / "env"
AWS_CONFIG = LOCAL / "aws" / "config"
AWS_CREDENTIALS = LOCAL / "aws" / "credentials"


def write(stack: DeployedStack) -> Path:
    """Write the file and the profile, whole or not at all; the file's path."""
    AWS_CONFIG.parent.mkdir(parents=True, exist_ok=True)
    settings = f"region = {stack.region}\nendpoint_url = {stack.endpoint}\n"
    _replace(AWS_CONFIG, f"[profile {PROFILE}]\n{settings}")
    keys = f"aws_access_key_id = {ACCESS_KEY}\naws_secret_access_key = {SECRET_KEY}\n"
    _replace(AWS_CREDENTIALS, f"[{PROFILE}]\n{keys}")
    _replace(FILE, text(stack))
    return FILE


def remove() -> None:
    """A file that points at a cloud that is gone would only mislead.

    The profile stays: shells that sourced the file still name it, and without it no AWS client starts in them.
    """
    FILE.unlink(missing_ok=True)


def text(stack: DeployedStack) -> str:
    """The lines of the file: ``export NAME=value``, for a POSIX shell."""
    lines = [f"# Written by `make up`: the {stack.name} stack on this machine. Source it; `make down` removes it."]
    lines += [f"export {name}={shlex.quote(value)}" for name, value in _variables(stack).items()]
    # With the project's own interpreter in front, `python` and `session-datasets` are the ones that know it.
    lines.append(f'export PATH={shlex.quote(str(ROOT / ".venv" / "bin"))}:"$PATH"')
    return "\n".join(lines) + "\n"


def _variables(stack: DeployedStack) -> Mapping[str, str]:
    functions = {f"{verb.upper()}_FUNCTION": name for verb, name in stack.functions.items()}
    return {
        **stack.client_environment(),
        "AWS_PROFILE": PROFILE,
        "AWS_CONFIG_FILE": str(AWS_CONFIG),
        "AWS_SHARED_CREDENTIALS_FILE": str(AWS_CREDENTIALS),
        **functions,
    }


def _replace(file: Path, content: str) -> None:
    beside = file.with_name(f"{file.name}.new")
    beside.write_text(content)
    os.replace(beside, file)
