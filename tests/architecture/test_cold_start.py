"""What a process of read_rows may not import on its way to its first page: all of it was measured to be dear.

The function runs out of its bundle, in an interpreter that sees nothing else, against moto over real HTTP.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import patch

import boto3
import pytest

from infra.bundles import TABULAR, Bundler
from session_datasets.domain import names
from tests.support.moto_cloud import KEYRING, STACK, MotoCloud
from tests.support.this_machine import this_machine

FIRST_PAGE = """
import importlib, json, sys
bundle, body = sys.argv[1:]
sys.path.insert(0, bundle)
handler = importlib.import_module("lambdas.read_rows.handler").handler
class Context:
    function_name = memory_limit_in_mb = invoked_function_arn = aws_request_id = "one"
    def get_remaining_time_in_millis(self):
        return 30_000
answer = handler(json.loads(body), Context())
print(json.dumps({"answer": answer, "modules": sorted(sys.modules)}, default=str))
"""

# module -> what it is that a page does without
UNNEEDED = {
    "numpy": "Arrow imports it wherever it is",
    "pandas": "likewise",
    "python_calamine": "opens workbooks",
    "boto3": "its first requests are signed without a client",
    "s3transfer": "large files in parts, with multiprocessing",
    "botocore.client": "a client reads its service's description, some of them a megabyte",
    "botocore.session": "likewise",
    "aws_xray_sdk": "traces, where the deployment asks for it",
    "aws_lambda_powertools.utilities.parameters": "imports boto3",
    "cryptography": "access tokens are signed with HMAC",
    "asyncio": "nothing here waits in it",
    "multiprocessing": "nothing here forks",
    "pyarrow.compute": "wraps 300 kernels in documented functions; formats.values.kernels calls them by name",
    "pyarrow.csv": "reads what is registered",
    "pyarrow.json": "likewise",
    "pyarrow.dataset": "reads folders of files",
    "pyarrow.acero": "joins and groups",
    "session_datasets.client": "runs on the nodes",
    "session_datasets.domain.redaction": "takes secrets out of failures",
    "session_datasets.domain.secret_names": "likewise",
    "session_datasets.domain.secret_patterns": "likewise",
    "session_datasets.domain.secret_values": "likewise",
    "session_datasets.domain.internal_names": "likewise",
    "session_datasets.formats.tables": "opens files",
    "session_datasets.formats.csv": "likewise",
    "session_datasets.formats.json": "likewise",
    "session_datasets.formats.text": "likewise",
    "session_datasets.formats.typed": "likewise",
    "session_datasets.formats.measure": "makes profiles",
    "session_datasets.formats.layout.laying_out": "writes layouts",
    "session_datasets.formats.layout.pyramid": "serves charts",
    "session_datasets.wire.answers": "the models of other verbs",
    "session_datasets.wire.requests": "likewise",
}


@pytest.fixture(scope="module")
def first_page(moto_server: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The answer, and the modules that the process has loaded by then."""
    cloud = MotoCloud(moto_server)
    directory = tmp_path_factory.mktemp("node")
    (directory / "cities.csv").write_text("city,inhabitants,seen\nParis,2102650,2026-01-01\nRome,2748109,2026-01-02\n")
    workspace = cloud.open(directory=directory)
    reference = workspace.register_artifact(directory / "cities.csv", name="cities").reference
    body = {"v": 1, "token": workspace.token, "reference": reference.model_dump(mode="json"), "limit": 2}
    python = [sys.executable, "-I", "-S", "-c", FIRST_PAGE, str(Bundler().bundle(TABULAR, this_machine()))]
    variables = {**cloud.environment(), **settings_of(cloud), "POWERTOOLS_TRACE_DISABLED": "true"}
    run = subprocess.run([*python, json.dumps(body)], env=variables, cwd="/", capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    said: dict[str, Any] = {**json.loads(run.stdout.splitlines()[-1]), "log": run.stdout.splitlines()[:-1]}
    return said


def settings_of(cloud: MotoCloud) -> dict[str, str]:
    """As the stack tells a function, with the signing key in a secret."""
    secret = json.dumps({"kid": KEYRING.current.kid, "key": KEYRING.current.secret})
    with patch.dict(os.environ, cloud.environment()):
        arn = boto3.client("secretsmanager").create_secret(Name=cloud.table, SecretString=secret)["ARN"]
    return {
        names.ENV_STACK: STACK,
        names.ENV_BUCKET: cloud.bucket,
        names.ENV_TABLE: cloud.table,
        names.ENV_SIGNING_KEY: arn,
        names.ENV_CALLER_ROLE: "arn:aws:iam::123456789012:role/caller",
        "POWERTOOLS_METRICS_NAMESPACE": names.METRICS_NAMESPACE,
    }


def test_the_first_page_of_a_process_is_right_and_took_one_request_of_s3(first_page: dict[str, Any]) -> None:
    answer = first_page["answer"]
    assert "problem" not in answer, first_page["log"]
    assert answer["rows"] == [["Paris", 2102650, "2026-01-01"], ["Rome", 2748109, "2026-01-02"]]
    assert answer["s3_requests"] == 1


@pytest.mark.parametrize("module", sorted(UNNEEDED))
def test_a_first_page_does_without(first_page: dict[str, Any], module: str) -> None:
    loaded = [name for name in first_page["modules"] if name == module or name.startswith(module + ".")]
    assert loaded == [], UNNEEDED[module]


def test_what_a_page_is_made_with_is_among_the_modules_that_are_looked_at(first_page: dict[str, Any]) -> None:
    assert {"pyarrow.lib", "pyarrow._parquet", "session_datasets.wire.rows"} <= set(first_page["modules"])


@pytest.mark.parametrize("module", sorted(name for name in UNNEEDED if name.startswith("session_datasets.")))
def test_what_is_done_without_is_a_module_of_ours_by_its_name(module: str) -> None:
    """A room that is renamed would be done without for ever."""
    place = Path(__file__).parents[2] / "shared" / Path(*module.split("."))
    assert place.is_dir() or place.with_suffix(".py").is_file()
