"""What is installed, by place, as the lock file and the emulators' requirement files have it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from infra.bundles.requirements import GROUPS, ROOT, locked_requirements, run_uv

SDK = "sdk"  # what a node installs, all extras included

_EXPORT = ["export", "--quiet", "--frozen", "--no-header", "--no-annotate", "--no-emit-project"]
_PINNED = re.compile(r"([A-Za-z0-9._-]+)==([^ ;\\]+)")

Releases = Mapping[str, tuple[str, ...]]  # package -> the versions of it that are locked, one for each Python


def deployed() -> dict[str, Releases]:
    """By place, what ends up in an account or on a node: the functions' bundles and the SDK."""
    places = {group: releases_in(locked_requirements(group)) for group in GROUPS}
    return {**places, SDK: releases_in(sdk_requirements())}


def sdk_requirements() -> str:
    """The requirements file of what a node installs."""
    return run_uv(*_EXPORT, "--no-default-groups", "--all-extras")


def releases_in(requirements: str) -> Releases:
    """Package -> versions, of a requirements file whose versions are exact."""
    found: dict[str, list[str]] = {}
    for line in requirements.splitlines():
        if pinned := _PINNED.match(line):
            found.setdefault(pinned[1].lower(), []).append(pinned[2])
    return {name: tuple(versions) for name, versions in sorted(found.items())}


def everything_locked() -> str:
    """The requirements file of uv.lock as a whole: tools of developers, too."""
    return run_uv(*_EXPORT, "--all-groups", "--all-extras")


def requirement_files() -> list[Path]:
    """Of the emulators, of the functions' interpreter on a laptop, of Node.js and of uv."""
    return sorted((ROOT / "infra" / "local" / "requirements").glob("*.txt"))
