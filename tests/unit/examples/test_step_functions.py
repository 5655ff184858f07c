"""The state machine of the example, and its three functions, tried without Step Functions."""

from __future__ import annotations

import base64
import importlib.util
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

import cfnlint
import jsonschema
import pytest

from session_datasets.client.surroundings import Surroundings
from tests.support.moto_cloud import MotoCloud

EXAMPLE = Path(__file__).parents[3] / "shared" / "examples" / "step_functions"
DEFINITION = json.loads((EXAMPLE / "asl.json").read_text())
STATE_BYTES_MAX = 262_144


def module(file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"example_{file.stem}", file)
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


class Lambda:
    """Invokes the nodes' handlers in this process, as Lambda answers of them; keeps every payload."""

    def __init__(self, **handlers: Any) -> None:
        self.payloads: list[dict[str, Any]] = []
        self._handlers = handlers

    def invoke(self, *, FunctionName: str, Payload: bytes) -> dict[str, Any]:
        event = json.loads(Payload)
        self.payloads.append(event)
        try:
            answer = self._handlers[FunctionName](event, None)
        except Exception as error:
            failed = {"errorType": type(error).__name__, "errorMessage": str(error), "stackTrace": [event["token"]]}
            return {"FunctionError": "Unhandled", "Payload": io.BytesIO(json.dumps(failed).encode())}
        return {"Payload": io.BytesIO(json.dumps(answer).encode())}


@pytest.fixture
def functions(cloud: MotoCloud) -> Iterator[dict[str, ModuleType]]:
    """The three modules, on the service in this process."""
    environment = {**cloud.environment(), "OWNER": "acme"}
    with (
        patch.dict(os.environ, environment),
        patch.object(Surroundings, "transport", lambda _: cloud.transport()),
    ):
        yield {name: module(EXAMPLE / "functions" / f"{name}.py") for name in ("run_node", "measure", "report")}


@pytest.mark.parametrize("function", ["measure", "report", "run_node"])
def test_the_bundle_holds_every_module_that_a_function_imports(tmp_path: Path, function: str) -> None:
    bundle = tmp_path / "bundle.zip"
    sys.path.insert(0, str(EXAMPLE))
    try:
        bundle.write_bytes(module(EXAMPLE / "deploying.py").bundle())
    finally:
        sys.path.remove(str(EXAMPLE))
    # In an interpreter that finds the package in the bundle first; what it lacks must not come from the checkout.
    program = f"""
import sys
sys.path.insert(0, {str(bundle)!r})
import session_datasets.client, {function}
print({{module.__file__.startswith({str(bundle)!r}) for name, module in sys.modules.items() if "session_dat" in name}})
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env={**os.environ, "SESSION_DATASETS_STACK": "any", "AWS_DEFAULT_REGION": "eu-central-1"},
        cwd=tmp_path,
        check=False,
    )
    assert (done.stdout.strip(), done.stderr) == ("{True}", "")


def run(functions: dict[str, ModuleType], **more: Any) -> tuple[list[str], Lambda]:
    """Runs the machine as the definition says; every state's output as text, and what was invoked."""
    nodes = Lambda(measure=functions["measure"].handler, report=functions["report"].handler, **more)
    functions["run_node"].functions = nodes  # type: ignore[attr-defined]
    state: dict[str, Any] = {}
    outputs = []
    for node, function, key in (("Measure", "measure", "readings"), ("Report", "report", "report")):
        event = {"function": function, "run_id": "run-1", "node": node, "input": state}
        answer = functions["run_node"].handler(event, None)
        state = {key: answer["reference"] if key == "readings" else answer}
        outputs.append(json.dumps(state))
    return outputs, nodes


def test_the_definition_is_one_of_the_states_language() -> None:
    schema = Path(cfnlint.__file__).parent / "data" / "schemas" / "other" / "step_functions" / "statemachine.json"
    jsonschema.Draft7Validator(json.loads(schema.read_text())).validate(DEFINITION)


def test_the_schema_refuses_what_is_none() -> None:
    schema = Path(cfnlint.__file__).parent / "data" / "schemas" / "other" / "step_functions" / "statemachine.json"
    broken = {**DEFINITION, "States": {"Measure": {"Type": "Nothing"}}}
    assert not jsonschema.Draft7Validator(json.loads(schema.read_text())).is_valid(broken)


def test_every_state_leads_to_one_that_exists_and_the_last_one_ends() -> None:
    states = DEFINITION["States"]
    path = [DEFINITION["StartAt"]]
    while following := states[path[-1]].get("Next"):
        path.append(following)
    assert (path, states[path[-1]]["End"]) == (list(states), True)


def test_every_place_in_the_definition_is_filled() -> None:
    with patch("sys.path", [str(EXAMPLE)]), redirect_stdout(io.StringIO()):
        deploying = module(EXAMPLE / "deploying.py")
    arns = {name: f"arn:{name}" for name in deploying.FUNCTIONS}
    filled = json.loads(deploying.definition(arns))
    assert re.findall(r"\$\{", json.dumps(filled)) == []
    called = [state["Parameters"]["Payload"]["function"] for state in filled["States"].values()]
    assert called == ["arn:measure", "arn:report"]
    assert {state["Parameters"]["FunctionName"] for state in filled["States"].values()} == {"arn:run_node"}


def test_what_passes_from_state_to_state_is_a_reference(functions: dict[str, ModuleType]) -> None:
    outputs, _ = run(functions)
    assert list(json.loads(outputs[0])["readings"]) == ["v", "artifact_id", "session_id", "key", "version_id"]
    assert json.loads(outputs[1])["report"] == {"rows": 100_000, "row_70000": [70_000, "s0", 20.0], "warmest": 24.9}
    assert max(map(len, outputs)) < 1_000 < STATE_BYTES_MAX


def test_a_token_reaches_the_node_and_no_state(functions: dict[str, ModuleType]) -> None:
    outputs, nodes = run(functions)
    tokens = [payload["token"] for payload in nodes.payloads]
    assert len(set(tokens)) == 2
    assert [token for token in tokens if token in "".join(outputs)] == []


def test_an_error_of_a_node_keeps_its_kind_and_loses_its_stack(functions: dict[str, ModuleType]) -> None:
    def failing(event: dict[str, Any], _context: object) -> None:
        raise TimeoutError("the sensors do not answer")

    nodes = Lambda(measure=failing)
    functions["run_node"].functions = nodes  # type: ignore[attr-defined]
    event = {"function": "measure", "run_id": "run-1", "node": "Measure", "input": {}}
    with pytest.raises(functions["run_node"].NodeFailedError, match="the sensors do not answer") as failed:
        functions["run_node"].handler(event, None)
    assert type(failed.value).__name__ == "TimeoutError"
    assert nodes.payloads[0]["token"] not in str(failed.value)


def test_the_owner_is_the_deployments_whatever_the_execution_says(
    functions: dict[str, ModuleType], cloud: MotoCloud
) -> None:
    def who(event: dict[str, Any], _context: object) -> dict[str, Any]:
        return {"claims": event["token"].split(".")[1]}

    functions["run_node"].functions = Lambda(measure=who)  # type: ignore[attr-defined]
    event = {"function": "measure", "run_id": "run-1", "node": "Measure", "input": {"owner": "other"}, "owner": "other"}
    claims = functions["run_node"].handler(event, None)["claims"]
    assert "acme" in base64.urlsafe_b64decode(claims + "===").decode()
    assert "other" not in base64.urlsafe_b64decode(claims + "===").decode()
