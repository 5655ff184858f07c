"""``python -m infra.local``: the local cloud, and for a real account the CDK command line and what goes with it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from infra.local import account, background, cdk, env_file, node, tools
from infra.local.emulator import EmulatorError
from infra.local.steps import on_standard_error, steps_on
from infra.local.surroundings import elsewhere, forget_aws
from infra.local.tools import ToolError
from session_datasets.domain.names import DEFAULT_STACK


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0, or 1 with the reason on standard error."""
    options, rest = _parser().parse_known_args(arguments)
    if rest and options.command is not _cdk:
        _parser().error(f"unrecognized arguments: {' '.join(rest)}")
    options.rest = rest
    if options.command in _OF_EMULATORS:
        forget_aws()
    elif (endpoint := elsewhere()) and _is_for_an_account(options):
        print(_POINTS_ELSEWHERE.format(endpoint=endpoint), file=sys.stderr)
        return 1
    elif endpoint and options.command in (_redrive, _audit):
        print(f"This shell points at {endpoint}: what follows is done there.", file=sys.stderr)
    command: Callable[[argparse.Namespace], int] = options.command
    try:
        return command(options)
    except (EmulatorError, ToolError, cdk.DeployError, account.AccountError) as failure:
        print(failure, file=sys.stderr)
        return 1


def _up(options: argparse.Namespace) -> int:
    cloud = background.emulator()
    if cloud.runs:
        print(f"The local cloud runs already, on {cloud.endpoint}; deploying what changed, if anything ...", flush=True)
    else:
        print("Starting the local cloud and deploying what changed (the first time takes minutes) ...", flush=True)
    with steps_on(on_standard_error()) as tell:
        stack = background.up(options.stack, tell)
    print(f"The stack {stack.name} stands behind {stack.endpoint}.")
    print(f"Next, in your shell:\n\n  . {env_file.FILE}\n  session-datasets --help\n\n`make down` stops it.")
    return 0


def _down(_: argparse.Namespace) -> int:
    print("The local cloud is stopped; what it holds is kept." if background.down() else "No local cloud was running.")
    return 0


def _status(_: argparse.Namespace) -> int:
    cloud = background.emulator()
    print(f"{cloud.name} {cloud.version} " + (f"listens on {cloud.endpoint}" if cloud.runs else "does not run"))
    return 0 if cloud.runs else 3


def _deploy(options: argparse.Namespace) -> int:
    with steps_on(on_standard_error()) as tell:
        stack = cdk.deploy(options.endpoint, stack=options.stack, env=options.env, tell=tell)
    for name, value in sorted(stack.outputs.items()):
        print(f"{name} = {value}")
    return 0


def _cdk(options: argparse.Namespace) -> int:
    return cdk.run(options.rest)


def _compare(options: argparse.Namespace) -> int:
    account.compare(options.stack, options.env)
    return 0


def _prune(options: argparse.Namespace) -> int:
    versions = account.superseded(options.stack, datetime.now(UTC))
    for version in versions:
        account.delete(version)
        print(f"Deleted version {version.number} of {version.function}.")
    if not versions:
        print("Nothing to delete: no superseded version is old enough that nobody can be in it.")
    return 0


def _redrive(options: argparse.Namespace) -> int:
    print(account.redrive(options.stack, options.what))
    return 0


def _audit(options: argparse.Namespace) -> int:
    account.begin_audit(options.stack)
    print("The audit has begun; its reports will lie below _audit/ in the bucket, one for each owner.")
    return 0


def _prepare(_: argparse.Namespace) -> int:
    installers: dict[str, Callable[[], Path]] = {
        "MiniStack": tools.ministack,
        "LocalStack": tools.localstack,
        "functions": tools.functions,
        "Node.js": node.node,
        "CDK": cdk.command_line,
    }
    for name, install in installers.items():
        print(f"{name}: {install()}", flush=True)
    return 0


def _node(_: argparse.Namespace) -> int:
    for name, value in node.environment().items():
        print(f"export {name}='{value}'")
    return 0


# What has nothing to do with the account that the caller's shell may name.
_OF_EMULATORS = (_up, _down, _status, _deploy)

# The parts of the CDK command line that ask nothing of an account.
_OFFLINE = ("synth", "synthesize", "ls", "list", "acknowledge", "docs", "--help", "--version")
_POINTS_ELSEWHERE = (
    "Nothing was done: this is for a real account, and this shell points at the local cloud "
    "(AWS_ENDPOINT_URL={endpoint}). Open a fresh shell, one that did not source .local/env."
)


def _is_for_an_account(options: argparse.Namespace) -> bool:
    if options.command is _cdk:
        return not any(word in options.rest for word in _OFFLINE)
    return options.command in (_compare, _prune)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m infra.local", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, command: Callable[[argparse.Namespace], int], text: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=text, description=text)
        added.set_defaults(command=command)
        return added

    up = add("up", _up, "start the local cloud in the background and deploy the stack into it")
    up.add_argument("--stack", default=DEFAULT_STACK, help="the stack's name (%(default)s)")
    add("down", _down, "stop the local cloud; what it holds is kept")
    add("status", _status, "say whether the local cloud runs; exit status 3 when it does not")
    deploy = add("deploy", _deploy, "deploy the stack to any emulator that already runs")
    deploy.add_argument("endpoint", help="its URL, for example http://127.0.0.1:4566")
    deploy.add_argument("--stack", default=DEFAULT_STACK, help="the stack's name (%(default)s)")
    deploy.add_argument("--env", default="local", help="the environment (%(default)s)")
    compare = add("compare", _compare, "refuse to deploy a stack of a real account as another environment")
    compare.add_argument("--stack", default=DEFAULT_STACK, help="the stack's name (%(default)s)")
    compare.add_argument("--env", required=True, help="the environment it is about to be deployed as")
    prune = add("prune", _prune, "delete the versions of functions in a real account that deploys superseded")
    prune.add_argument("--stack", default=DEFAULT_STACK, help="the stack's name (%(default)s)")
    redrive = add("redrive", _redrive, "have the dead letters of a stack in a real account done once more")
    redrive.add_argument("what", choices=account.REDRIVEN, help="whose dead letters")
    redrive.add_argument("--stack", default=DEFAULT_STACK, help="the stack's name (%(default)s)")
    audit = add("audit-files", _audit, "compare all records of a stack in a real account with its files, both ways")
    audit.add_argument("--stack", default=DEFAULT_STACK, help="the stack's name (%(default)s)")
    add("prepare", _prepare, "install every tool under .local and say where")
    add("node", _node, "print the shell lines that put a suitable Node.js on the path")
    add("cdk", _cdk, "run the pinned CDK command line with the arguments that follow, for a real account")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
