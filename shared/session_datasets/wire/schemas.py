"""The contract as documents: one JSON Schema per request and answer, and an OpenAPI description of all verbs.

``python -m session_datasets.wire.schemas FOLDER`` writes them; a test compares the ones in docs/contract.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from session_datasets.domain.events import EventType
from session_datasets.domain.names import ORCHESTRATOR_VERBS, Verb
from session_datasets.wire.base import WIRE_VERSION
from session_datasets.wire.catalogue import EXCHANGES
from session_datasets.wire.events import model_of
from session_datasets.wire.problem import ProblemModel

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_COMPONENT = "#/components/schemas/{model}"


def documents() -> Mapping[str, Any]:
    """File name to JSON document."""
    named: dict[str, Any] = {"openapi.json": openapi(), "problem.schema.json": _schema(ProblemModel)}
    for verb, exchange in EXCHANGES.items():
        named[f"{verb}.request.schema.json"] = _schema(exchange.request)
        named[f"{verb}.answer.schema.json"] = _schema(exchange.answer)
    for type_ in EventType:
        named[f"{type_}.event.schema.json"] = {**_schema(model_of(type_)), "title": type_.value}
    return named


def openapi() -> dict[str, Any]:
    """OpenAPI 3.1: every verb is a POST of its request; a refused one answers a problem of RFC 9457."""
    models = [ProblemModel, *(model for pair in EXCHANGES.values() for model in (pair.request, pair.answer))]
    _, definitions = models_json_schema([(model, "validation") for model in models], ref_template=_COMPONENT)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Session Datasets", "version": str(WIRE_VERSION)},
        "paths": {f"/v{WIRE_VERSION}/{verb}": {"post": _operation(verb)} for verb in EXCHANGES},
        "components": {
            "schemas": definitions["$defs"],
            "securitySchemes": {"accessToken": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}},
        },
    }


def _operation(verb: Verb) -> dict[str, Any]:
    exchange = EXCHANGES[verb]
    return {
        "operationId": verb.value,
        "summary": (exchange.request.__doc__ or "").strip(),
        # The orchestrator is known by its IAM principal, not by a token.
        "security": [] if verb in ORCHESTRATOR_VERBS else [{"accessToken": []}],
        "requestBody": {"required": True, "content": _content("application/json", exchange.request)},
        "responses": {
            "200": {"description": "Answered.", "content": _content("application/json", exchange.answer)},
            "default": {
                "description": "Refused: what was not done, why, and what to do next.",
                "content": _content("application/problem+json", ProblemModel),
            },
        },
    }


def _content(media_type: str, model: type[BaseModel]) -> dict[str, Any]:
    return {media_type: {"schema": {"$ref": _COMPONENT.format(model=model.__name__)}}}


def _schema(model: type[BaseModel]) -> dict[str, Any]:
    return {"$schema": _DIALECT, **model.model_json_schema()}


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, document in documents().items():
        (folder / name).write_text(json.dumps(document, indent=2, sort_keys=True) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
