"""What bundles are built for so that this machine can run them."""

from __future__ import annotations

import platform
import sys

from infra.bundles import Target


def this_machine() -> Target:
    """The very Python that runs this test."""
    machine = "aarch64" if platform.machine() in ("aarch64", "arm64") else "x86_64"
    system = {"darwin": "apple-darwin"}.get(sys.platform, "manylinux_2_28")
    return Target(f"{sys.version_info.major}.{sys.version_info.minor}", f"{machine}-{system}")
