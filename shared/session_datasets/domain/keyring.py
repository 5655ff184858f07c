"""The keys that sign access tokens and cursors: a current one and, for a while after a rotation, the previous."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SigningKey:
    kid: str
    secret: str

    def __repr__(self) -> str:  # a key never lands in a log by way of a traceback
        return f"SigningKey(kid={self.kid!r})"


@dataclass(frozen=True, slots=True)
class Keyring:
    """Signs with ``current``; accepts ``current`` and ``previous``."""

    current: SigningKey
    previous: SigningKey | None = None

    def find(self, kid: object) -> SigningKey | None:
        """The accepted key with this id, or None."""
        keys = [self.current] if self.previous is None else [self.current, self.previous]
        return next((key for key in keys if key.kid == kid), None)
