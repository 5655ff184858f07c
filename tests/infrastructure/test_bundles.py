"""The bundles hold everything a function needs, and nothing else."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from infra.bundles import LAMBDA, LIGHT, NUMERIC, TABULAR, Bundler, BundleTooLarge, Target, locked_requirements
from infra.bundles.bundler import install
from infra.bundles.pruning import REMOVED, SERVICES
from infra.constructs.code_bundle import group_of
from session_datasets.domain.errors import ProblemCode
from session_datasets.domain.names import EVENT_VERBS, ORCHESTRATOR_VERBS, Verb
from tests.infrastructure.elf import read_shared_library
from tests.infrastructure.synthesized import ROOT, Synthesized
from tests.support.this_machine import this_machine

GROUPS = [LIGHT, TABULAR, NUMERIC]
# MiB that each bundle may weigh unzipped: a cold start fetches all of it. Lambda takes 250.
HEAVIEST = {LIGHT: 25, TABULAR: 120, NUMERIC: 175}

# What every Amazon Linux 2023 has: the C and C++ run time, and the loader itself.
SYSTEM_LIBRARY = re.compile(r"(lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+)|ld-linux-(aarch64|x86-64))\.so\.\d+")


@pytest.fixture(scope="module", params=GROUPS)
def group(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def for_lambda(group: str) -> Path:
    """Each bundle as it is deployed."""
    return Bundler().bundle(group, LAMBDA)


@pytest.fixture(scope="module")
def for_this_machine() -> dict[str, Path]:
    """The bundles as this machine can run them."""
    return {group: Bundler().bundle(group, this_machine()) for group in GROUPS}


def files_of(folder: Path) -> dict[str, Path]:
    return {str(path.relative_to(folder)): path for path in sorted(folder.rglob("*")) if path.is_file()}


def libraries_of(folder: Path) -> dict[str, Path]:
    return {name: path for name, path in files_of(folder).items() if ".so" in path.suffixes}


# A function's life in short: imported from its bundle alone, and called once with a body that is refused.
CALL_A_HANDLER = """
import importlib, json, os, sys
bundle, module = sys.argv[1:]
sys.path.insert(0, bundle)
handler = importlib.import_module(module).handler
class Context:
    function_name = memory_limit_in_mb = invoked_function_arn = aws_request_id = "one"
    def get_remaining_time_in_millis(self):
        return 900_000
answer = handler({"v": 1, "Records": []}, Context())
origins = {getattr(each, "__file__", None) or "" for each in list(sys.modules.values())}
strangers = sorted(each for each in origins if "site-packages" in each)
loaded = sorted({"numpy", "pyarrow"} & sys.modules.keys())
code = answer["problem"]["code"] if "problem" in answer else answer
print(json.dumps({"answer": code, "strangers": strangers, "loaded": loaded}))
"""


@pytest.mark.parametrize("verb", Verb)
def test_a_handler_runs_with_nothing_but_its_bundle(
    for_this_machine: dict[str, Path], sandbox: Synthesized, verb: Verb
) -> None:
    bundle = for_this_machine[group_of(verb)]
    # Isolated, and without site: neither this environment's packages nor its variables are seen.
    python = [sys.executable, "-I", "-S", "-c", CALL_A_HANDLER, str(bundle), f"lambdas.{verb}.handler"]
    run = subprocess.run(
        python, env=lambda_variables(sandbox, verb), cwd="/", capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    said = json.loads(run.stdout.splitlines()[-1])
    called: dict[Verb, Any] = dict.fromkeys(ORCHESTRATOR_VERBS, ProblemCode.INVALID_REQUEST)
    answers = called | {each: {"batchItemFailures": []} for each in EVENT_VERBS}
    libraries = {LIGHT: [], TABULAR: ["pyarrow"], NUMERIC: ["numpy", "pyarrow"]}
    assert said == {
        "answer": answers.get(verb, ProblemCode.TOKEN_MISSING),
        "strangers": [],
        "loaded": libraries[group_of(verb)],
    }


def lambda_variables(stack: Synthesized, verb: Verb) -> dict[str, str]:
    """The variables that the template gives a function, and those that Lambda adds."""
    variables = stack.function(verb)["Environment"]["Variables"]
    given = {name: value if isinstance(value, str) else stack.flat(value) for name, value in variables.items()}
    credentials = {"AWS_ACCESS_KEY_ID": "none", "AWS_SECRET_ACCESS_KEY": "none"}
    return given | credentials | {"AWS_REGION": "eu-west-1", "AWS_DEFAULT_REGION": "eu-west-1"}


@pytest.mark.parametrize("group_with_arrow", [TABULAR, NUMERIC])
def test_the_tables_room_works_from_its_bundle_alone(for_this_machine: dict[str, Path], group_with_arrow: str) -> None:
    script = """
import sys
sys.path.insert(0, sys.argv[1])
import io
import pyarrow as pa, pyarrow.compute as pc, pyarrow.csv as pc_csv, pyarrow.json as pa_json, pyarrow.parquet as pq
table = pc_csv.read_csv(io.BytesIO(b"a,b\\n1,x\\n2,y\\n"))
file = io.BytesIO()
pq.write_table(table, file, compression="zstd")
file.seek(0)
assert pq.read_table(file).equals(table)
assert pa_json.read_json(io.BytesIO(b'{"a": 1}\\n')).num_rows == 1
codecs = [name for name in ("zstd", "gzip", "bz2", "lz4", "snappy", "brotli") if pa.Codec.is_available(name)]
print(pc.sum(table["a"]).as_py(), *codecs)
"""
    python = [sys.executable, "-I", "-S", "-c", script, str(for_this_machine[group_with_arrow])]
    printed = subprocess.run(python, capture_output=True, text=True, check=True).stdout
    assert printed == "3 zstd gzip bz2 lz4 snappy brotli\n"


def test_what_measures_and_reduces_works_from_its_bundle_alone(for_this_machine: dict[str, Path]) -> None:
    script = """
import sys
sys.path.insert(0, sys.argv[1])
import numpy as np
from python_calamine import CalamineWorkbook
from tsdownsample import LTTBDownsampler, M4Downsampler
import pyarrow as pa
values = np.arange(1_000, dtype=np.float64)
print(len(LTTBDownsampler().downsample(values, n_out=10)), len(M4Downsampler().downsample(values, n_out=8)))
print(pa.array(values).to_numpy().sum())
"""
    python = [sys.executable, "-I", "-S", "-c", script, str(for_this_machine[NUMERIC])]
    printed = subprocess.run(python, capture_output=True, text=True, check=True).stdout
    assert printed == "10 8\n499500.0\n"


def test_it_fits_into_lambda_and_into_what_a_cold_start_should_fetch(for_lambda: Path, group: str) -> None:
    size = sum(path.stat().st_size for path in files_of(for_lambda).values())
    assert size < HEAVIEST[group] * 1024 * 1024 < 250 * 1024 * 1024


def test_too_large_a_bundle_is_refused_before_it_is_deployed() -> None:
    with pytest.raises(BundleTooLarge, match="Lambda takes 1,000,000"):
        Bundler(largest_bytes=1_000_000).bundle(LIGHT, LAMBDA)


def test_every_library_is_for_the_processor_it_is_deployed_to(for_lambda: Path) -> None:
    machines = {name: read_shared_library(path).machine for name, path in libraries_of(for_lambda).items()}
    assert machines
    assert [name for name, machine in machines.items() if machine != "aarch64"] == []


def test_every_extension_module_is_for_the_python_it_is_deployed_to(for_lambda: Path) -> None:
    tags = {match[1] for name in libraries_of(for_lambda) if (match := re.search(r"\.cpython-(\d+)-", name))}
    assert tags == {LAMBDA.python.replace(".", "")}


def test_every_library_finds_the_ones_it_needs(for_lambda: Path) -> None:
    present = {path.name for path in libraries_of(for_lambda).values()}
    missing = {
        needed
        for path in libraries_of(for_lambda).values()
        for needed in read_shared_library(path).needed
        if needed not in present and not SYSTEM_LIBRARY.fullmatch(needed)
    }
    assert missing == set()


@pytest.mark.parametrize(
    ("group_of_bundle", "libraries"),
    [(LIGHT, set()), (TABULAR, {"pyarrow"}), (NUMERIC, {"pyarrow", "numpy", "python_calamine", "tsdownsample"})],
)
def test_a_bundle_has_the_libraries_that_its_verbs_open_tables_with(group_of_bundle: str, libraries: set[str]) -> None:
    bundle = Bundler().bundle(group_of_bundle, LAMBDA)
    weighty = {"pyarrow", "numpy", "python_calamine", "tsdownsample", "pandas"}
    assert {each.name for each in bundle.iterdir()} & weighty == libraries


def test_only_the_services_in_use_are_described(for_lambda: Path) -> None:
    folders = {path.name for path in (for_lambda / "botocore" / "data").iterdir() if path.is_dir()}
    assert folders == set(SERVICES)


@pytest.mark.parametrize("pattern", REMOVED)
def test_what_is_pruned_is_gone(for_lambda: Path, pattern: str) -> None:
    assert list(for_lambda.glob(pattern)) == []


def test_every_pruning_rule_finds_something_to_remove(tmp_path: Path) -> None:
    install(locked_requirements(NUMERIC), LAMBDA, tmp_path)
    assert [pattern for pattern in REMOVED if not list(tmp_path.glob(pattern))] == []


def test_a_bundle_made_again_is_the_same_to_the_byte_and_the_second(tmp_path: Path) -> None:
    def facts(folder: Path) -> dict[str, tuple[bytes, float, int]]:
        stats = {name: (path, path.stat()) for name, path in files_of(folder).items()}
        return {name: (path.read_bytes(), stat.st_mtime, stat.st_mode) for name, (path, stat) in stats.items()}

    once = Bundler().bundle(LIGHT, LAMBDA)
    again = Bundler(cache=tmp_path).bundle(LIGHT, LAMBDA)
    assert again.name == once.name
    assert facts(again) == facts(once)


def test_a_build_that_is_interrupted_leaves_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def interrupted(_requirements: str, _target: Target, folder: Path) -> None:
        (folder / "half").touch()
        raise KeyboardInterrupt

    monkeypatch.setattr("infra.bundles.bundler.install", interrupted)
    with pytest.raises(KeyboardInterrupt):
        Bundler(cache=tmp_path).bundle(LIGHT, LAMBDA)
    assert list(tmp_path.iterdir()) == []


def test_changed_code_makes_another_bundle_of_the_same_dependencies(tmp_path: Path) -> None:
    for folder in ("lambdas", "shared"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    bundler = Bundler(root=tmp_path, cache=tmp_path / "cache")
    before = bundler.bundle(LIGHT, LAMBDA)
    assert bundler.bundle(LIGHT, LAMBDA) == before
    (tmp_path / "lambdas" / "read_rows" / "handler.py").write_text("# changed\n")
    after = bundler.bundle(LIGHT, LAMBDA)
    assert after != before
    assert (after / "botocore" / "client.py").samefile(before / "botocore" / "client.py")


def test_the_code_alone_is_the_handlers_and_the_package_without_the_client() -> None:
    names = files_of(Bundler().code())
    tops = {Path(name).parts[0] for name in names}
    rooms = {Path(name).parts[1] for name in names if name.startswith("session_datasets/")}
    assert tops == {"lambdas", "session_datasets"}
    assert rooms >= {"domain", "formats", "operations", "runtime", "storage", "wire"}
    assert rooms.isdisjoint({"cli", "client", "__pycache__"})
    assert {f"lambdas/{verb}/handler.py" for verb in Verb} <= names.keys()


def test_requirements_are_exact_hashed_and_name_no_registry(group: str) -> None:
    text = locked_requirements(group).replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip()]
    assert [line for line in lines if not re.match(r"[a-z0-9-]+==\S+ .*--hash=sha256:", line)] == []
    assert "://" not in text


def test_pyarrow_and_numpy_are_required_where_they_are_used_alone() -> None:
    assert "pyarrow" not in locked_requirements(LIGHT)
    assert "\npyarrow==" in locked_requirements(TABULAR)
    assert "\nnumpy==" not in locked_requirements(TABULAR)
    assert "numpy==" in locked_requirements(NUMERIC)


def test_an_unknown_bundle_is_refused_with_the_ones_there_are() -> None:
    with pytest.raises(ValueError, match="no bundle 'heavy': choose one of light, tabular, numeric"):
        locked_requirements("heavy")


def test_the_command_line_prints_the_requirements() -> None:
    command = [sys.executable, "-m", "infra.bundles", "requirements", LIGHT]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert printed == locked_requirements(LIGHT)
