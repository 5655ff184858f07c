"""The app as the CDK command line synthesizes it, once for each environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.infrastructure.synthesized import InEnvironment, Synthesized, synthesize

ENVIRONMENTS = ("local", "sandbox", "production")


@pytest.fixture(scope="session")
def synthesized(tmp_path_factory: pytest.TempPathFactory) -> InEnvironment:
    """``synthesized("production")``: the stack in that environment; each is made once."""
    made: dict[str, Synthesized] = {}

    def of(environment: str) -> Synthesized:
        if environment not in made:
            folder: Path = tmp_path_factory.mktemp(environment)
            made[environment] = synthesize(environment, folder)
        return made[environment]

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
