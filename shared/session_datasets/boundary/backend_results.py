"""Results of backends and of the service, as JSON that becomes the same types again on the other side.

A middleware reads attributes of what a file backend answered, so a dict is not enough. Each type has a stable name in
an allow-list; data never names a module, and nothing is imported or looked up by a name that came with the data.
"""

from __future__ import annotations

import dataclasses
import sys
import warnings
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from pydantic import BaseModel

from session_datasets.boundary import typed_json
from session_datasets.boundary.typed.registry import Registered, Registry
from session_datasets.client.errors import MissingExtraError, ProblemError, error_of
from session_datasets.wire import answers, problem, reference, rows

_OURS: tuple[type[BaseModel], ...] = (
    answers.RegisterArtifactAnswer,
    answers.DescribeArtifactAnswer,
    answers.ListArtifactsAnswer,
    answers.SummaryPart,
    answers.LoadArtifactAnswer,
    answers.ReadColumnsAnswer,
    rows.ReadRowsAnswer,
    reference.ReferenceModel,
    problem.ProblemModel,
)
_PROTOCOL = "deepagents.backends.protocol"
_DEEPAGENTS = (
    "DeleteResult",
    "EditResult",
    "ExecuteOffloadResult",
    "ExecuteResponse",
    "FileDownloadResponse",
    "FileUploadResponse",
    "GlobResult",
    "GrepResult",
    "LsResult",
    "ReadResult",
    "WriteResult",
)
_PROBLEM = "session_datasets.ProblemError"


def dump_backend_result(value: Any) -> typed_json.Json:
    """JSON of a result, of arguments or of anything that holds them, however deep.

    Kept as what they are: the answers, references and problems of this package, deepagents' results, types allowed by
    ``typed_json.register``, and all that typed JSON keeps. A field equal to its default is left out. A type outside of
    the allow-list is refused, with its path (TypedJsonError). Presigned URLs and tokens cross as they are: keep them
    out of what a history remembers.
    """
    return typed_json.dump(value, registry=_RESULTS)


def load_backend_result(value: typed_json.Json) -> Any:
    """The value again. A field that this version does not know is ignored, one that is missing takes its default.

    TypedJsonError for a type that is not allowed, a newer version of one, or fields that do not make one.
    """
    return typed_json.load(value, registry=_RESULTS)


class _Results(Registry):
    """Our own types, deepagents' when there are values of them, and whatever the program allowed for itself."""

    def __init__(self) -> None:
        super().__init__()
        for model in _OURS:
            self.register(
                model,
                name=f"session_datasets.{model.__name__}",
                parts=_model_parts,
                build=partial(_model, model),
            )
        self.register(ProblemError, name=_PROBLEM, parts=_problem_parts, build=_problem_error)
        self._asked_deepagents = False

    def of_class(self, cls: type) -> Registered | None:
        if issubclass(cls, ProblemError):
            return super().of_class(ProblemError)
        # A value of deepagents is here only when deepagents is.
        if _PROTOCOL in sys.modules:
            self._with_deepagents()
        return super().of_class(cls) or typed_json.REGISTRY.of_class(cls)

    def of_tag(self, name: str, version: int, path: str) -> Registered:
        if name.startswith("deepagents.") and name.removeprefix("deepagents.") in _DEEPAGENTS:
            self._with_deepagents()
        if name in self._by_name:
            return super().of_tag(name, version, path)
        return typed_json.REGISTRY.of_tag(name, version, path)

    def _with_deepagents(self) -> None:
        if self._asked_deepagents:
            return
        try:
            protocol = import_module(_PROTOCOL)
        except ImportError:
            raise MissingExtraError(
                "The result is one of deepagents, which is not installed.",
                "Run: pip install 'session-datasets[deepagents]'",
            ) from None
        for name in _DEEPAGENTS:
            # A release of deepagents may lack one; values of it are then refused like any other unknown type.
            if (cls := getattr(protocol, name, None)) is not None:
                tag = f"deepagents.{name}"
                self.register(cls, name=tag, parts=_dataclass_parts, build=_dataclass_builder(tag, cls))
        self._asked_deepagents = True


def _model_parts(value: BaseModel) -> Any:
    return value.model_dump(mode="json", exclude_unset=True)


def _model(cls: type[BaseModel], parts: Any) -> BaseModel:
    return cls.model_validate(parts, strict=False)


def _problem_parts(error: ProblemError) -> Any:
    return error.problem.model_dump(mode="json", exclude_unset=True)


def _problem_error(parts: Any) -> ProblemError:
    return error_of(problem.ProblemModel.model_validate(parts))


def _dataclass_parts(value: Any) -> dict[str, Any]:
    fields = [each for each in dataclasses.fields(value) if each.init]
    return {each.name: part for each in fields if not _is(part := getattr(value, each.name), each.default)}


def _is(value: Any, default: Any) -> bool:
    # 0 and False are equal, and are not the same answer.
    return type(value) is type(default) and bool(value == default)


def _dataclass_builder(name: str, cls: Any) -> Callable[[Any], Any]:
    fields = {each.name: each for each in dataclasses.fields(cls) if each.init}
    required = {each.name for each in fields.values() if each.default is each.default_factory is dataclasses.MISSING}

    def build(parts: Any) -> Any:
        if not isinstance(parts, dict):
            raise TypeError("fields are expected")
        if missing := sorted(required - parts.keys()):
            raise typed_json.MalformedJsonError(
                f"What was sent as version 1 of {name!r} lacks {', '.join(missing)}, which this version requires.",
                "Use the same release of deepagents on both sides.",
            )
        with warnings.catch_warnings():
            # Whoever made the object has been told of deprecated fields; this only carries it.
            warnings.simplefilter("ignore", DeprecationWarning)
            return cls(**{each: part for each, part in parts.items() if each in fields})

    return build


_RESULTS = _Results()
