"""The licences of what is deployed or installed on nodes, and which are taken.

The table is kept by hand, as somebody looked them up; tests hold it against the lock and against what the installed
packages say of themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from email.message import Message

from infra.supply.installed import Releases

# SPDX. All of them let the software be part of anything, also of what is not open; MPL-2.0 asks for changes to its own
# files only. A licence of the GPL's kind asks for more, and is not taken.
TAKEN = frozenset(
    {
        "0BSD",
        "Apache-2.0",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "CC0-1.0",
        "ISC",
        "MIT",
        "MIT-0",
        "MPL-2.0",
        "PSF-2.0",
        "Zlib",
    }
)

LICENCES = {
    "annotated-doc": "MIT",
    "annotated-types": "MIT",
    "anthropic": "Apache-2.0",
    "anyio": "MIT",
    "attrs": "MIT",
    "aws-lambda-powertools": "MIT AND MIT-0",
    "aws-xray-sdk": "Apache-2.0",
    "boto3": "Apache-2.0",
    "botocore": "Apache-2.0",
    "bracex": "MIT",
    "certifi": "MPL-2.0",
    "cffi": "MIT-0",
    "charset-normalizer": "MIT",
    "click": "BSD-3-Clause",
    "colorama": "BSD-3-Clause",
    "cryptography": "Apache-2.0 OR BSD-3-Clause",
    "deepagents": "MIT",
    "distro": "Apache-2.0",
    "docstring-parser": "MIT",
    "filetype": "MIT",
    "google-auth": "Apache-2.0",
    "google-genai": "Apache-2.0",
    "h11": "MIT",
    "httpcore": "BSD-3-Clause",
    "httpcore2": "BSD-3-Clause",
    "httpx": "BSD-3-Clause",
    "httpx2": "BSD-3-Clause",
    "httpx2-jsfetch": "BSD-3-Clause",
    "idna": "BSD-3-Clause",
    "jiter": "MIT",
    "jmespath": "MIT",
    "jsonpatch": "BSD-3-Clause",
    "jsonpointer": "BSD-3-Clause",
    "jsonschema": "MIT",
    "jsonschema-specifications": "MIT",
    "langchain": "MIT",
    "langchain-anthropic": "MIT",
    "langchain-core": "MIT",
    "langchain-google-genai": "MIT",
    "langchain-protocol": "MIT",
    "langgraph": "MIT",
    "langgraph-checkpoint": "MIT",
    "langgraph-prebuilt": "MIT",
    "langgraph-sdk": "MIT",
    "langsmith": "MIT",
    "markdown-it-py": "MIT",
    "mcp": "MIT",
    "mcp-types": "MIT",
    "mdurl": "MIT",
    "nexus-rpc": "MIT",
    "numpy": "BSD-3-Clause AND 0BSD AND MIT AND Zlib AND CC0-1.0",
    "opentelemetry-api": "Apache-2.0",
    "orjson": "MPL-2.0 AND (Apache-2.0 OR MIT)",
    "ormsgpack": "Apache-2.0 OR MIT",
    "packaging": "Apache-2.0 OR BSD-2-Clause",
    "pandas": "BSD-3-Clause",
    "polars": "MIT",
    "polars-runtime-32": "MIT",
    "protobuf": "BSD-3-Clause",
    "pyarrow": "Apache-2.0",
    "pyasn1": "BSD-2-Clause",
    "pyasn1-modules": "BSD-2-Clause",
    "pycparser": "BSD-3-Clause",
    "pydantic": "MIT",
    "pydantic-core": "MIT",
    "pygments": "BSD-2-Clause",
    "pyjwt": "MIT",
    "python-calamine": "MIT",
    "python-dateutil": "Apache-2.0 OR BSD-3-Clause",
    "python-multipart": "Apache-2.0",
    "pywin32": "PSF-2.0",
    "pyyaml": "MIT",
    "referencing": "MIT",
    "requests": "Apache-2.0",
    "requests-toolbelt": "Apache-2.0",
    "rich": "MIT",
    "rpds-py": "MIT",
    "s3transfer": "Apache-2.0",
    "shellingham": "ISC",
    "six": "MIT",
    "sniffio": "MIT OR Apache-2.0",
    "sse-starlette": "BSD-3-Clause",
    "starlette": "BSD-3-Clause",
    "temporalio": "MIT",
    "tenacity": "Apache-2.0",
    "truststore": "MIT",
    "tsdownsample": "MIT",
    "typer": "MIT",
    "types-protobuf": "Apache-2.0",
    "typing-extensions": "PSF-2.0",
    "typing-inspection": "MIT",
    "tzdata": "Apache-2.0",
    "urllib3": "MIT",
    "uuid-utils": "BSD-3-Clause",
    "uvicorn": "BSD-3-Clause",
    "wcmatch": "MIT",
    "websockets": "BSD-3-Clause",
    "wrapt": "BSD-2-Clause",
    "xxhash": "BSD-2-Clause",
    "zstandard": "BSD-3-Clause",
}

# How packages name their licences that do not speak SPDX yet.
_SPOKEN = {
    "Apache License 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "3-Clause BSD License": "BSD-3-Clause",
    "BSD License": "BSD-3-Clause",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "MIT No Attribution License (MIT-0)": "MIT-0",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}

_HEADING = """# Licences

Made by `python -m infra.supply licences` from the lock file; a test keeps it true. Listed is what is deployed in the
functions' bundles (light, tabular, numeric) and what the SDK with all its extras brings to a node. None of it is under
a licence of the GPL's kind. Node.js, the CDK, the emulators and the tools of development are neither deployed nor
passed on.

| package | version | licence | where |
| --- | --- | --- | --- |
"""


def not_taken(expression: str) -> set[str]:
    """Of an SPDX expression, the licences that are not taken. ``OR`` offers a choice, and one taken side is enough."""
    words = re.findall(r"[A-Za-z0-9.+-]+|[()]", expression)
    return _sum_of(words)


def said_by(metadata: Message) -> str:
    """The licences that an installed package's own metadata names, as an SPDX expression."""
    if expression := metadata.get("License-Expression"):
        return str(expression)
    classifiers = [each.rsplit(" :: ", 1)[-1] for each in metadata.get_all("Classifier", []) if "License ::" in each]
    named = classifiers or [str(metadata.get("License", ""))]
    return " AND ".join(_SPOKEN.get(each, each) for each in named)


def document(places: dict[str, Releases]) -> str:
    """docs/licences.md; KeyError for a package whose licence nobody looked up."""
    names = sorted({name for releases in places.values() for name in releases})
    return _HEADING + "".join(_row(name, places) for name in names)


def _row(name: str, places: dict[str, Releases]) -> str:
    where = [place for place, releases in places.items() if name in releases]
    versions = sorted({version for releases in places.values() for version in releases.get(name, ())})
    return f"| {name} | {', '.join(versions)} | {LICENCES[name]} | {', '.join(where)} |\n"


def _sum_of(words: list[str]) -> set[str]:
    """``a OR b AND c``: AND binds closer."""
    choices = [_product_of(words)]
    while words and words[0] == "OR":
        words.pop(0)
        choices.append(_product_of(words))
    return min(choices, key=len)


def _product_of(words: list[str]) -> set[str]:
    refused = _one_of(words)
    while words and words[0] == "AND":
        words.pop(0)
        refused = refused | _one_of(words)
    return refused


def _one_of(words: list[str]) -> set[str]:
    word = words.pop(0) if words else "nothing"
    if word != "(":
        return _untaken([word])
    inner = _sum_of(words)
    if words:
        words.pop(0)
    return inner


def _untaken(names: Iterable[str]) -> set[str]:
    return {name for name in names if name not in TAKEN}
