"""The published schemas are those of the models, and the published examples are valid and true to life."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from session_datasets.domain.names import CALLED_VERBS, EVENT_VERBS, Verb
from session_datasets.wire.catalogue import EXCHANGES
from session_datasets.wire.schemas import documents
from tests.contract.life import exchanges, shape
from tests.support.moto_cloud import MotoCloud

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "docs" / "contract"


def example(verb: Verb, name: str) -> Any:
    return json.loads((ROOT / "lambdas" / verb / f"{name}.json").read_text())


def test_exactly_the_generated_documents_are_published() -> None:
    assert {path.name for path in PUBLISHED.glob("*.json")} == set(documents())


@pytest.mark.parametrize("name", sorted(documents()))
def test_a_published_document_has_not_drifted(name: str) -> None:
    assert json.loads((PUBLISHED / name).read_text()) == documents()[name]


@pytest.mark.parametrize("verb", CALLED_VERBS)
def test_every_verb_has_an_exchange_and_a_folder(verb: Verb) -> None:
    assert verb in EXCHANGES
    assert (ROOT / "lambdas" / verb / "handler.py").is_file()


@pytest.mark.parametrize("verb", CALLED_VERBS)
def test_the_example_request_is_valid(verb: Verb) -> None:
    jsonschema.validate(example(verb, "request"), documents()[f"{verb}.request.schema.json"])


@pytest.mark.parametrize("verb", CALLED_VERBS)
def test_the_example_response_is_valid(verb: Verb) -> None:
    jsonschema.validate(example(verb, "response"), documents()[f"{verb}.answer.schema.json"])


@pytest.mark.parametrize("verb", EVENT_VERBS)
def test_what_works_off_queues_and_streams_has_a_folder_and_no_exchange(verb: Verb) -> None:
    assert verb not in EXCHANGES
    assert (ROOT / "lambdas" / verb / "handler.py").is_file()


def test_the_example_responses_have_the_shape_of_real_ones(cloud: MotoCloud) -> None:
    lived = exchanges(cloud)
    assert set(lived) == set(Verb)
    for verb, (request, response) in lived.items():
        assert shape(example(verb, "request")) == shape(request), verb
        assert shape(example(verb, "response")) == shape(response), verb
