"""What each tool is asked with. Written for a model to fill in; what models are known to get almost right is taken."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from session_datasets.client.references import reference_of
from session_datasets.domain import limits
from session_datasets.tools.answers import json_text

# Artifacts of one listing: their names stay readable within its budget.
LISTING_ARTIFACTS_MAX = 50
# Rows of one page; the budget ends most pages sooner.
PAGE_ROWS_MAX = 1_000
# Bytes of the path that a file is loaded to: a folder or two and a file's name, told again in the answer.
PATH_BYTES_MAX = 255
POINTS_DEFAULT = 60


def _id_of(value: object) -> object:
    """A whole reference, as nodes pass it on, for the id that it holds."""
    try:
        return json.dumps(value) if isinstance(value, dict) else value
    except (TypeError, ValueError, RecursionError):
        return value


def _reference(text: str) -> str:
    """What the service can be asked about; whether there is such an artifact, it says."""
    try:
        reference_of(text)
    except (TypeError, ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise ValueError(f"is no artifact_id: {reason}") from None
    return text


def _names_of(value: object) -> object:
    """One name for a list of one, and a list that was written as text."""
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            pass
    return [value]


def _short(path: str | None) -> str | None:
    """Of what is told again the cost counts: a control character takes six bytes of JSON, a quote two."""
    if path is not None and any("\ud800" <= character <= "\udfff" for character in path):
        raise ValueError("holds half of a surrogate pair, which no name of a file has; leave it out")
    if path is not None and len(json_text(path).encode()) - len('""') > PATH_BYTES_MAX:
        raise ValueError(f"takes at most {PATH_BYTES_MAX} bytes of UTF-8, escaped as in JSON")
    return path


AnyId = Annotated[str, BeforeValidator(_id_of), AfterValidator(_reference)]
ArtifactId = Annotated[
    AnyId,
    Field(min_length=1, max_length=8_192, description="The artifact_id, art_..., that another tool gave."),
]
Names = Annotated[list[str], BeforeValidator(_names_of)]
Offset = Annotated[int, Field(ge=0, le=limits.OFFSET_MAX)]


class Arguments(BaseModel):
    """A null counts as absent, as strict schemas send it for what is optional."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, given: Any) -> Any:
        return {name: value for name, value in given.items() if value is not None} if isinstance(given, dict) else given

    @classmethod
    def tool_schema(cls) -> dict[str, Any]:
        """JSON Schema of the arguments: no titles, optional members not as null but as absent."""
        schema: dict[str, Any] = _plain(cls.model_json_schema())
        return schema


class RegisterArguments(Arguments):
    path: str = Field(
        min_length=1, max_length=4_096, description="File in the working directory, e.g. out/flights.csv."
    )
    name: str | None = Field(
        None, min_length=1, max_length=limits.NAME_CHARACTERS_MAX, description="Short label; the file's name if absent."
    )
    description: str = Field(
        "",
        max_length=limits.DESCRIPTION_CHARACTERS_MAX,
        description="What is in it and how it was made, for whoever looks for it later.",
    )
    kind: Literal["table", "series", "document", "other"] | None = Field(None, description="Decided if absent.")
    made_from: Annotated[list[AnyId], BeforeValidator(_names_of)] = Field(
        default_factory=list, max_length=limits.LINEAGE_MAX, description="artifact_ids that it was computed from."
    )


class ListArguments(Arguments):
    name_contains: str | None = Field(
        None, min_length=1, max_length=limits.NAME_CHARACTERS_MAX, description="Text in the name or description."
    )
    kind: Literal["table", "series", "document", "other"] | None = Field(None, description="Only of this kind.")
    limit: int = Field(20, ge=1, le=LISTING_ARTIFACTS_MAX, description="Artifacts at most.")
    cursor: str | None = Field(
        None, max_length=4_096, description="next_cursor of the listing before, unchanged, to go on with older ones."
    )


class DescribeArguments(Arguments):
    artifact_id: ArtifactId
    first_column: int = Field(0, ge=0, le=limits.TABLE_COLUMNS_MAX, description="Where to go on in a wide table.")


class LoadArguments(Arguments):
    artifact_id: ArtifactId
    to: Annotated[str | None, AfterValidator(_short)] = Field(
        None,
        min_length=1,
        max_length=PATH_BYTES_MAX,
        description="Path inside the working directory; the file's own name if absent.",
    )


class ReadRowsArguments(Arguments):
    artifact_id: ArtifactId
    offset: Offset = Field(0, description="First row, counted from 0; next_offset of the page before to go on.")
    limit: int = Field(50, ge=1, le=PAGE_ROWS_MAX, description="Rows at most; the page may end sooner and says so.")
    columns: Names | None = Field(
        None, min_length=1, max_length=limits.PAGE_COLUMNS_MAX, description="Only these, in this order; name few."
    )


class ReadColumnsArguments(Arguments):
    artifact_id: ArtifactId
    columns: Names = Field(
        min_length=1, max_length=limits.SERIES_COLUMNS_MAX, description="Columns whose course is wanted."
    )
    x: str | None = Field(None, description="Column to see them over, e.g. a time; the row number if absent.")
    offset: Offset = Field(0, description="First row of the window.")
    rows: int | None = Field(None, ge=1, le=limits.OFFSET_MAX, description="Rows of the window; to the end if absent.")
    max_points: int = Field(
        POINTS_DEFAULT,
        ge=limits.SERIES_POINTS_MIN,
        le=limits.SERIES_POINTS_MAX,
        description="Values of each column at most; more rows come as least and greatest of each stretch.",
    )


def _plain(schema: Any) -> Any:
    """Without what a model does not need: titles, and null beside the type of an optional member."""
    if isinstance(schema, list):
        return [_plain(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if options := schema.get("anyOf"):
        stated = [each for each in options if each != {"type": "null"}]
        if len(stated) == 1:
            schema = {**stated[0], **{name: value for name, value in schema.items() if name != "anyOf"}}
    kept = {}
    for name, value in schema.items():
        if name == "title" or (name == "default" and value is None):
            continue
        kept[name] = {each: _plain(inner) for each, inner in value.items()} if name == "properties" else _plain(value)
    return kept
