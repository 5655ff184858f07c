"""``python -m infra.bundles requirements tabular`` prints what the functions need, with hashes."""

from __future__ import annotations

import argparse
import sys

from infra.bundles import GROUPS, LAMBDA, Bundler, Target, locked_requirements


def main(arguments: list[str] | None = None) -> int:
    """Run one command; the result goes to standard output."""
    parser = argparse.ArgumentParser(prog="python -m infra.bundles", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    requirements = commands.add_parser("requirements", help="print the locked requirements of a bundle")
    requirements.add_argument("group", choices=GROUPS)
    building = commands.add_parser("build", help="build a bundle and print its folder")
    building.add_argument("group", choices=GROUPS)
    building.add_argument("--python", default=LAMBDA.python, help="default: %(default)s")
    building.add_argument("--platform", default=LAMBDA.platform, help="in uv's words; default: %(default)s")
    chosen = parser.parse_args(arguments)
    if chosen.command == "requirements":
        sys.stdout.write(locked_requirements(chosen.group))
    else:
        print(Bundler().bundle(chosen.group, Target(chosen.python, chosen.platform)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
