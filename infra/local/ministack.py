"""MiniStack: the embedded default. It starts in a fraction of a second and keeps its state when asked to."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from infra.local import tools
from infra.local.emulator import HOST, Emulator
from infra.local.surroundings import ACCESS_KEY, REGION, SECRET_KEY, trusting

# A folder with a main program of its own.
MENDS = Path(__file__).parent / "ministack_host"


class MiniStack(Emulator):
    """With `keeps_state`, what it holds is written below the state directory when it is stopped.

    When `enforcing`, every call needs credentials whose policies allow it, functions have those of their roles, and
    everything goes over TLS; the account's own keys may do anything.
    """

    name = "MiniStack"
    version = "1.5.33"
    health_path = "/_ministack/health"

    def __init__(
        self, state: Path, *, port: int | None = None, keeps_state: bool = False, enforcing: bool = False
    ) -> None:
        super().__init__(state, port=port)
        self._keeps_state = keeps_state
        self._enforcing = enforcing

    @property
    def certificate(self) -> Path | None:
        # It makes one itself, in its temporary directory, each time it starts.
        return self.state / "tmp" / "ministack-tls" / "server.crt" if self._enforcing else None

    def command(self) -> list[str]:
        arguments = ["--mends", str(MENDS), "--functions-python", str(tools.functions())]
        return [str(tools.ministack()), "ministack", *arguments]

    def settings(self, port: int) -> Mapping[str, str]:
        keeps = "1" if self._keeps_state else "0"
        return {
            "BIND_HOST": HOST,
            "GATEWAY_PORT": str(port),
            "MINISTACK_REGION": REGION,
            "AWS_ACCESS_KEY_ID": ACCESS_KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
            "DOCKER_HOST": "unix:///nonexistent",
            "PERSIST_STATE": keeps,
            "STATE_DIR": str(self.state / "services"),
            "S3_PERSIST": keeps,
            "S3_DATA_DIR": str(self.state / "objects"),
            **self._enforced(),
        }

    def _enforced(self) -> Mapping[str, str]:
        if self.certificate is None:
            return {}
        # Its functions inherit whom to trust.
        return {"AUTH": "true", "USE_SSL": "1", **trusting(self.certificate)}
