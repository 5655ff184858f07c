"""Modules that a Temporal workflow's sandbox takes from the worker instead of importing them once per workflow."""

from __future__ import annotations

from collections.abc import Iterable

# Without them every workflow imports these trees anew: slow, and a class of the workflow is then not the class of its
# activities. Naming a package that is not installed costs nothing. boto3 is not among them: a workflow calls no AWS.
_DEFAULT = (
    "session_datasets",
    "pydantic",
    "pydantic_core",
    "annotated_types",
    "typing_extensions",
    "typing_inspection",
    "langchain",
    "langchain_core",
    "langchain_anthropic",
    "langgraph",
    "deepagents",
    "langsmith",
    "anthropic",
    "httpx",
    "httpcore",
    "jsonpatch",
    "jsonpointer",
    "numpy",
    "orjson",
    "pandas",
    "polars",
    "pyarrow",
    "tenacity",
    "tiktoken",
    "urllib3",
)


def default_passthrough_modules() -> tuple[str, ...]:
    """This package, and what it and the frameworks it adapts to import."""
    return _DEFAULT


def resolve_passthrough_modules(user: Iterable[str] | None = None) -> tuple[str, ...]:
    """The defaults, then the user's own, each once and in order. TypeError for one text, ValueError for no name."""
    if isinstance(user, str):
        raise TypeError("passthrough modules are a list of names, not one text")
    merged = dict.fromkeys((*_DEFAULT, *(user or ())))
    for name in merged:
        if not isinstance(name, str) or not all(part.isidentifier() for part in name.split(".")):
            raise ValueError(f"{name!r} is no name of a module; pass names like 'package' or 'package.module'.")
    return tuple(merged)
