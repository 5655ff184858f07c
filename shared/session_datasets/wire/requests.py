"""The body of every verb's request. Bounds are domain.limits; where S3 or DynamoDB set them, limits.py says so."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import AfterValidator, Field, StringConstraints, field_validator

from session_datasets.domain import limits
from session_datasets.domain.bounded import json_bytes
from session_datasets.domain.files import LoadTarget
from session_datasets.domain.names import NODE_VERBS, Verb
from session_datasets.domain.page import Reduction
from session_datasets.domain.profile import NO_HINTS, Kind, ReadingHints
from session_datasets.domain.scope import ListScope
from session_datasets.wire.base import ArtifactId, Id, Model, Request, Sha256
from session_datasets.wire.rows import OneArtifactRequest
from session_datasets.wire.rows import ReadRowsRequest as ReadRowsRequest

# Marks that turn the order of what follows around, and letters that nobody sees: a label that looks like another one.
_DISGUISES = re.compile("[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
_CONTROLS = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029]")
# Of a paragraph, which has lines.
_LINES = str.maketrans("", "", "\n\r\t")


def _undisguised(value: str) -> str:
    if _DISGUISES.search(value) or _CONTROLS.search(value.translate(_LINES)):
        raise ValueError("holds characters that do not print, or that reorder the text; leave them out")
    return value


def _one_line(value: str) -> str:
    if _CONTROLS.search(value):
        raise ValueError("is one line, without control characters")
    return _undisguised(value)


Name = Annotated[
    str,
    StringConstraints(min_length=1, max_length=limits.NAME_CHARACTERS_MAX, strip_whitespace=True),
    AfterValidator(_one_line),
    Field(description="Label for people and models; not a key, need not be unique."),
]
# A decimal has up to 38 digits, as Arrow's 128 bits hold.
_HINT_TYPE = r"^(string|bool|int64|double|date|timestamp|decimal\(([1-9]|[12][0-9]|3[0-8]),([0-9]|[12][0-9]|3[0-8])\))$"
_HINT_TYPES = "string, bool, int64, double, decimal(p,s), date or timestamp"


def _known_type(value: str) -> str:
    # In words: who sees the pattern is none the wiser.
    if not re.fullmatch(_HINT_TYPE, value):
        raise ValueError(f"a type is {_HINT_TYPES}")
    return value


HintType = Annotated[str, AfterValidator(_known_type), Field(json_schema_extra={"pattern": _HINT_TYPE})]


class OpenSessionRequest(Request):
    """open_session, for the orchestrator alone: starts a session and answers its access token."""

    owner: Id = Field(description="Tenant or user: the isolation border.")
    conversation_id: Id | None = Field(None, description="The chat thread this session belongs to.")
    run_id: Id | None = Field(None, description="The workflow execution this session belongs to.")
    node: Id = Field("node", description="Name of the step or sandbox that will hold the token.")
    ttl_seconds: int = Field(
        limits.SESSION_SECONDS_DEFAULT, ge=limits.SESSION_SECONDS_MIN, le=limits.SESSION_SECONDS_MAX
    )
    verbs: list[Annotated[Verb, Field(strict=False)]] = Field(
        default_factory=lambda: list(NODE_VERBS), min_length=1, description="What the token allows."
    )

    @field_validator("verbs")
    @classmethod
    def _for_nodes_only(cls, verbs: list[Verb]) -> list[Verb]:
        if refused := [verb for verb in verbs if verb not in NODE_VERBS]:
            raise ValueError(f"{refused[0]} is not for nodes")
        return verbs


class PrepareUploadRequest(Request):
    """prepare_upload: presigned requests that bring one file into the session's workspace."""

    file_name: str = Field(description="Name of the file in the workspace: one segment, with its suffix.")
    size: int = Field(ge=0, le=limits.UPLOAD_BYTES_MAX, description="Bytes.")
    sha256: Sha256 = Field(description="Of the whole file, lower-case hex.")
    upload_id: str | None = Field(
        None,
        min_length=1,
        max_length=1_024,
        description="Of an earlier answer for this file: fresh requests for the same parts, whose ETags stay good.",
    )
    replace: bool = Field(False, description="Upload even if the newest version under this name is this file already.")


class ReadingHintsModel(Model):
    """What the caller knows of the file; a value that does not fit is refused, never bent."""

    types: dict[str, HintType] = Field(
        default_factory=dict,
        max_length=limits.PAGE_COLUMNS_MAX,
        description=f"Column name to {_HINT_TYPES}; others are decided.",
    )
    nulls: list[Annotated[str, StringConstraints(max_length=limits.HINT_NULL_CHARACTERS_MAX)]] = Field(
        default_factory=list, max_length=limits.HINT_NULLS_MAX, description="Texts that mean no value, such as NA."
    )
    delimiter: str | None = Field(None, min_length=1, max_length=1, description="Of a text file; detected if absent.")
    encoding: str | None = Field(None, min_length=1, max_length=40, description="Of a text file; detected if absent.")
    sheet: str | None = Field(None, min_length=1, max_length=31, description="Of a workbook; the first if absent.")

    @field_validator("types")
    @classmethod
    def _kept_in_the_record(cls, types: dict[str, str]) -> dict[str, str]:
        if json_bytes(types) > limits.HINT_TYPES_BYTES_MAX:
            raise ValueError(f"takes at most {limits.HINT_TYPES_BYTES_MAX:,} bytes of JSON; name fewer columns")
        return types

    def to_domain(self) -> ReadingHints:
        return ReadingHints(
            types=dict(self.types),
            nulls=tuple(self.nulls),
            delimiter=self.delimiter,
            encoding=self.encoding,
            sheet=self.sheet,
        )


class RegisterArtifactRequest(Request):
    """register_artifact: makes an existing file of the workspace known."""

    key: str = Field(description="S3 key inside the session's workspace, as prepare_upload gave it.")
    version_id: str | None = Field(None, max_length=1_024, description="Version to pin; the latest when absent.")
    name: Name
    description: Annotated[str, AfterValidator(_undisguised)] = Field("", max_length=limits.DESCRIPTION_CHARACTERS_MAX)
    kind: Annotated[Kind, Field(strict=False)] | None = Field(
        None, description="What the rows mean; table when they can be paged, other when not, if absent."
    )
    lineage: list[ArtifactId] = Field(
        default_factory=list, max_length=limits.LINEAGE_MAX, description="Ids of the artifacts this one was made from."
    )
    size: int | None = Field(None, ge=0, description="Declared bytes, checked.")
    sha256: Sha256 | None = Field(None, description="Declared checksum of the whole file, checked.")
    rows: int | None = Field(None, ge=0, description="Declared number of rows, checked.")
    hints: ReadingHintsModel | None = Field(None, description="How to read the file; decided from it if absent.")
    request_token: str | None = Field(
        None,
        min_length=1,
        max_length=limits.REQUEST_TOKEN_CHARACTERS_MAX,
        description="Makes a retry recognisable; another registration under the same token is refused.",
    )

    def arguments(self) -> dict[str, Any]:
        return {**super().arguments(), "hints": self.hints.to_domain() if self.hints else NO_HINTS}


class ListArtifactsRequest(Request):
    """list_artifacts: what this session can reach, newest first."""

    scope: Annotated[ListScope, Field(strict=False)] | None = Field(
        None, description="conversation when the session has one, else run, if absent."
    )
    name_contains: str | None = Field(
        None,
        min_length=1,
        max_length=limits.NAME_CHARACTERS_MAX,
        description="In name or description; case does not count.",
    )
    kind: Annotated[Kind, Field(strict=False)] | None = None
    limit: int = Field(limits.LIST_LIMIT_DEFAULT, ge=1, le=limits.LIST_LIMIT_MAX)
    cursor: str | None = Field(None, max_length=4_096)


class DescribeArtifactRequest(OneArtifactRequest):
    """describe_artifact: the whole record with schema, statistics and preview."""


class LoadArtifactRequest(OneArtifactRequest):
    """load_artifact: the file itself, for this session."""

    into: Annotated[LoadTarget, Field(strict=False)] = LoadTarget.WORKING_DIRECTORY


class ReadColumnsRequest(OneArtifactRequest):
    """read_columns: the series of a chart, and no other column."""

    columns: Annotated[list[str], Field(min_length=1, max_length=limits.SERIES_COLUMNS_MAX)]
    offset: int = Field(0, ge=0, le=limits.OFFSET_MAX, description="First row of the window.")
    rows: int | None = Field(None, ge=1, description="Rows of the window; to the end when absent.")
    max_points: int = Field(
        limits.SERIES_POINTS_DEFAULT,
        ge=limits.SERIES_POINTS_MIN,
        le=limits.SERIES_POINTS_MAX,
        description="Values drawn of each column; a bucket of min and max counts two.",
    )
    method: Annotated[Reduction, Field(strict=False)] = Field(
        Reduction.AUTO,
        description="Of a window of more rows than points: auto gives min and max per bucket, lttb and m4 choose rows.",
    )
    x: str | None = Field(None, description="A column to draw the others over; the row number if absent.")
