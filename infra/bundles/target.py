"""What a bundle is built for."""

from __future__ import annotations

import platform
from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """A Python such as ``3.14`` and a platform in uv's words, such as ``aarch64-manylinux_2_28``."""

    python: str
    platform: str

    @property
    def machine(self) -> str:
        """The processor: ``aarch64`` or ``x86_64``."""
        return self.platform.split("-", 1)[0]

    def __str__(self) -> str:
        return f"python{self.python.replace('.', '')}-{self.machine}"


# The newest Python that Lambda offers and can snapshot, on its processors that cost a fifth less than the
# others. Lambda's Amazon Linux 2023 has glibc 2.34; pyarrow is published for 2.28 and up.
LAMBDA = Target(python="3.14", platform="aarch64-manylinux_2_28")


def lambda_on_this_machine() -> Target:
    """Lambda's Python on this machine's processor, as an emulator announces it."""
    # A Mac calls the same processor arm64.
    machine = "aarch64" if platform.machine() in ("aarch64", "arm64") else "x86_64"
    return Target(python=LAMBDA.python, platform=f"{machine}-manylinux_2_28")
