"""The app as the CDK command line synthesizes it, once for each environment."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from tests.infrastructure.synthesized import InEnvironment, Synthesized, synthesize

ENVIRONMENTS = ("local", "sandbox", "production")


@pytest.fixture(scope="session")
def synthesized(tmp_path_factory: pytest.TempPathFactory) -> InEnvironment:
    """``synthesized("production")``: the stack in that environment; each is made once, or fails once for all."""

    @cache
    def tried(environment: str) -> Synthesized | Exception:
        folder: Path = tmp_path_factory.mktemp(environment)
        try:
            return synthesize(environment, folder)
        except Exception as error:
            return error

    def of(environment: str) -> Synthesized:
        stack = tried(environment)
        if isinstance(stack, Exception):
            raise stack
        return stack

    return of


@pytest.fixture(scope="session", params=ENVIRONMENTS)
def everywhere(request: pytest.FixtureRequest, synthesized: InEnvironment) -> Synthesized:
    """The stack in each environment in turn."""
    return synthesized(request.param)


@pytest.fixture(scope="session")
def local(synthesized: InEnvironment) -> Synthesized:
    return synthesized("local")


@pytest.fixture(scope="session")
def sandbox(synthesized: InEnvironment) -> Synthesized:
    return synthesized("sandbox")


@pytest.fixture(scope="session")
def production(synthesized: InEnvironment) -> Synthesized:
    return synthesized("production")
