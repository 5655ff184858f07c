"""Results of backends and of the service: the same types on the other side, from an allow-list."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
import warnings
from dataclasses import dataclass, field
from typing import Any

import pytest
from deepagents.backends import protocol
from hypothesis import given
from hypothesis import strategies as st

from session_datasets.boundary import typed_json
from session_datasets.boundary.backend_results import dump_backend_result, load_backend_result
from session_datasets.client.errors import NotFoundError, ProblemError, error_of
from session_datasets.domain.errors import not_found
from session_datasets.wire.answers import DescribeArtifactAnswer, ListArtifactsAnswer, SummaryPart
from session_datasets.wire.problem import ProblemModel
from session_datasets.wire.reference import ReferenceModel
from session_datasets.wire.rows import ReadRowsAnswer

ARTIFACT = "art_" + "0" * 26


def crossed(value: Any) -> Any:
    return load_backend_result(json.loads(json.dumps(dump_backend_result(value), allow_nan=False)))


DEEPAGENTS = [
    protocol.ReadResult(file_data={"content": "x", "encoding": "utf-8"}, start_line=1, end_line=2, total_lines=9),
    protocol.WriteResult(path="/f"),
    protocol.EditResult(path="/f", occurrences=2),
    protocol.DeleteResult(error="is a directory"),
    protocol.LsResult(entries=[{"path": "/f", "size": 3}]),
    protocol.GrepResult(matches=[{"path": "/f", "line": 1, "text": "x"}], truncated=True),
    protocol.GlobResult(matches=[], truncated=True, truncation_reason="budget"),
    protocol.ExecuteResponse(output="ok", exit_code=0),
    protocol.ExecuteOffloadResult(offloaded=True, response=protocol.ExecuteResponse(output="ok")),
    protocol.FileUploadResponse(path="/f", error="permission_denied"),
    protocol.FileDownloadResponse(path="/f", content=b"\x00\xff"),
]


@pytest.mark.parametrize("result", DEEPAGENTS, ids=lambda each: type(each).__name__)
def test_a_result_of_deepagents_keeps_type_and_attributes(result: Any) -> None:
    assert crossed(result) == result
    assert type(crossed(result)) is type(result)


def test_every_result_type_that_deepagents_has_is_allowed() -> None:
    results = {
        name
        for name, cls in vars(protocol).items()
        if isinstance(cls, type) and dataclasses.is_dataclass(cls) and name.endswith(("Result", "Response"))
    }
    assert results == {type(each).__name__ for each in DEEPAGENTS}


PROBLEM = ProblemModel.of(not_found().problem, "request-1", "cor-1")
OURS: list[Any] = [
    ReferenceModel(artifact_id=ARTIFACT, session_id="ses-1", key="k", version_id="v"),
    ReadRowsAnswer.model_validate(
        {
            "artifact_id": ARTIFACT, "columns": [{"name": "a", "type": "integer"}], "rows": [[1], [None]], "offset": 0,
            "returned": 2, "total": 2, "s3_requests": 1, "bytes_read": 9, "next_offset": None,
        }
    ),
    PROBLEM,
]  # fmt: skip


@pytest.mark.parametrize("result", OURS, ids=lambda each: type(each).__name__)
def test_an_answer_of_the_service_keeps_type_and_attributes(result: Any) -> None:
    assert crossed(result) == result
    assert type(crossed(result)) is type(result)


def test_the_record_the_page_the_list_and_the_summary_are_allowed() -> None:
    tags = {f"session_datasets.{each.__name__}" for each in (DescribeArtifactAnswer, ListArtifactsAnswer, SummaryPart)}
    for tag in tags:
        # Known, and refused for its empty fields only.
        with pytest.raises(typed_json.MalformedJsonError, match="cannot be built"):
            load_backend_result({"$type": f"{tag}/1", "value": []})


def test_an_error_of_the_service_is_the_same_error_again() -> None:
    error = crossed({"failed": error_of(PROBLEM)})["failed"]
    assert type(error) is NotFoundError
    assert isinstance(error, ProblemError)
    assert (error.problem, str(error)) == (PROBLEM, str(error_of(PROBLEM)))


def test_results_lie_in_lists_tuples_mappings_and_each_other() -> None:
    value = {"files": [DEEPAGENTS[9], (DEEPAGENTS[0],)], 3: {"page": OURS[1], "raw": b"x"}}
    assert crossed(value) == value


plain = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary()
keys = st.sampled_from(["$type", "$dataset", "value", "__deepagents_dataclass__", "__deepagents_bytes__"]) | st.text()
data = st.recursive(plain, lambda inner: st.lists(inner) | st.dictionaries(keys, inner), max_leaves=12)


@given(data)
def test_everything_else_passes_as_data_whatever_its_keys(value: Any) -> None:
    assert crossed(value) == value


def test_plain_json_stays_as_it_is() -> None:
    value = {"text": "x", "list": [1, 2.5, None, True]}
    assert dump_backend_result(value) == value


@pytest.mark.parametrize(
    "tag",
    [
        "os.system/1",
        "os:system/1",
        "subprocess.Popen/1",
        "deepagents.backends.protocol.ReadResult/1",
        "deepagents.__init__/1",
        "deepagents._apply_grep_max_count/1",
        "deepagents.BackendProtocol/1",
        "deepagents.ReadResult.__init__/1",
        "session_datasets.Workspace/1",
        "session_datasets.ReadRowsAnswer.model_validate/1",
        "deepagents.ReadResult/2",
        "deepagents.ReadResult",
        "/1",
        "",
    ],
)
def test_a_type_outside_of_the_allow_list_is_refused(tag: str) -> None:
    with pytest.raises(typed_json.TypedJsonError):
        load_backend_result({"result": {"$type": tag, "value": {}}})


def test_refusing_a_foreign_type_imports_nothing() -> None:
    code = """
import sys
from session_datasets.boundary.backend_results import load_backend_result
before = set(sys.modules)
for tag in ("antigravity.X/1", "deepagents.backends.state.StateBackend/1", "xml.dom.minidom.Document/1"):
    try:
        load_backend_result({"$type": tag, "value": {}})
    except ValueError:
        pass
    else:
        raise SystemExit("built " + tag)
print(*sorted(set(sys.modules) - before))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr


def test_a_class_that_nobody_allowed_is_not_written() -> None:
    @dataclass
    class Foreign:
        x: int

    with pytest.raises(typed_json.UnsupportedValueError, match="Foreign cannot be written"):
        dump_backend_result([Foreign(1)])


@dataclass
class Allowed:
    path: str
    rows: int = 0


typed_json.register(Allowed, name="tests.Allowed")


def test_a_type_that_the_program_allowed_crosses() -> None:
    assert crossed([Allowed("/f", 3)]) == [Allowed("/f", 3)]


def test_a_field_equal_to_its_default_is_not_sent() -> None:
    dumped = dump_backend_result(protocol.GrepResult(matches=[]))
    assert dumped == {"$type": "deepagents.GrepResult/1", "value": {"matches": []}}


def test_a_field_that_only_equals_its_default_is_sent() -> None:
    dumped = dump_backend_result(protocol.GrepResult(truncated=0))  # type: ignore[arg-type]
    assert dumped["value"] == {"truncated": 0}


def test_a_field_that_is_not_known_here_is_ignored_and_a_missing_one_is_defaulted() -> None:
    newer = {"$type": "deepagents.WriteResult/1", "value": {"path": "/f", "checksum": "x"}}
    assert load_backend_result(newer) == protocol.WriteResult(path="/f")


def test_a_field_that_is_missing_without_a_default_is_refused() -> None:
    with pytest.raises(
        typed_json.MalformedJsonError, match=r"version 1 of 'deepagents\.FileUploadResponse' lacks path"
    ):
        load_backend_result({"$type": "deepagents.FileUploadResponse/1", "value": {}})


def test_a_newer_version_of_a_type_is_refused_by_its_version() -> None:
    with pytest.raises(typed_json.UnknownTypeError, match=r"version 2 of 'deepagents\.WriteResult'"):
        load_backend_result({"$type": "deepagents.WriteResult/2", "value": {}})


def test_rules_of_the_type_hold_for_data_too() -> None:
    with pytest.raises(typed_json.MalformedJsonError, match="start_line"):
        load_backend_result({"$type": "deepagents.ReadResult/1", "value": {"start_line": 3}})


def test_a_deprecated_field_that_has_to_be_given_causes_no_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclass
    class WriteResult:
        path: str
        files_update: dict[str, Any] | None
        extra: list[int] = field(default_factory=list)

        def __post_init__(self) -> None:
            warnings.warn("files_update is deprecated", DeprecationWarning, stretch := 2)
            assert stretch

    from session_datasets.boundary import backend_results

    results = backend_results._Results()
    with monkeypatch.context() as patched, warnings.catch_warnings():
        patched.setattr(protocol, "WriteResult", WriteResult)
        patched.setattr(backend_results, "_RESULTS", results)
        warnings.simplefilter("ignore")
        made = WriteResult("/f", None)
        warnings.simplefilter("error")
        assert crossed(made) == made


def test_what_is_loaded_shares_nothing_with_what_was_dumped() -> None:
    entries = [{"path": "/f"}]
    dumped = dump_backend_result(protocol.LsResult(entries=entries))  # type: ignore[arg-type]
    first, second = load_backend_result(dumped), load_backend_result(dumped)
    first.entries.append({"path": "/g"})
    assert (second.entries, entries) == ([{"path": "/f"}], [{"path": "/f"}])


def test_a_result_that_holds_itself_is_refused_with_its_path() -> None:
    result = protocol.LsResult(entries=[])
    result.entries = [{"path": result}]  # type: ignore[typeddict-item]
    with pytest.raises(typed_json.CyclicValueError):
        dump_backend_result(result)


def test_the_same_result_is_dumped_to_the_same_bytes() -> None:
    texts = {json.dumps(dump_backend_result(DEEPAGENTS)) for _ in range(3)}
    assert len(texts) == 1
