"""The body of every verb's answer, built from the domain's objects (pydantic's from_attributes)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, SerializerFunctionWrapHandler, model_serializer

from session_datasets.domain.artifact import Missing, Reference, Stage, Status
from session_datasets.domain.errors import Problem
from session_datasets.domain.page import Method, Series, SeriesColumn
from session_datasets.domain.profile import Encoding, Format, Kind, Order
from session_datasets.wire.base import Answer, Request
from session_datasets.wire.problem import ProblemModel
from session_datasets.wire.reference import ReferenceModel
from session_datasets.wire.rows import ColumnPart as ColumnPart
from session_datasets.wire.rows import Part, told_members
from session_datasets.wire.rows import ReadRowsAnswer as ReadRowsAnswer


def _of_reference(value: object) -> object:
    return ReferenceModel.of(value) if isinstance(value, Reference) else value


# Words that a newer service may have more of: its answers stay readable, and the new word is a text.
KnownKind = Annotated[Kind | str, Field(union_mode="left_to_right")]
KnownFormat = Annotated[Format | str, Field(union_mode="left_to_right")]
KnownStatus = Annotated[Status | str, Field(union_mode="left_to_right")]
KnownStage = Annotated[Stage | str, Field(union_mode="left_to_right")]

ReferenceOut = Annotated[ReferenceModel, BeforeValidator(_of_reference)]


def _of_problem(value: object) -> object:
    return ProblemModel.of(value, "") if isinstance(value, Problem) else value


ProblemOut = Annotated[ProblemModel, BeforeValidator(_of_problem)]


class ShapePart(Part):
    rows: int
    columns: int


class StatisticsPart(Part):
    """Of one column. What is absent means nothing for its type; docs/profile.md tells each member's unit."""

    nulls: int = Field(description="Rows without a value.")
    nans: int = Field(0, description="Rows with NaN; absent for none.")
    min: Any = Field(None, description="Least value, encoded like a cell; a text is cut after 100 characters.")
    max: Any = Field(None, description="Greatest value, likewise.")
    mean: float | None = Field(None, description="Of numbers, nulls and NaN aside.")
    distinct: int | None = Field(None, description="Different values, null and NaN aside.")
    distinct_estimated: bool = Field(False, description="distinct is an estimate, 2.2 % off at one sigma.")
    length_min: int | None = Field(None, description="Of texts in characters, of binaries in bytes.")
    length_max: int | None = Field(None, description="Likewise.")
    bytes_per_row: float | None = Field(None, description="About what the column adds to each row of a page.")
    order: Order | None = Field(None, description="Over all rows, equal neighbours allowed.")
    rule: str | None = Field(None, description="What decided the type; see docs/typing.md.")

    def essential(self) -> Self:
        """What tells the data; what it costs and how it came about is left to describe_artifact."""
        return self.model_copy(update=dict.fromkeys(_DESCRIBED_ONLY))

    @model_serializer(mode="wrap")
    def _without_the_usual(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        told: dict[str, Any] = serialize(self)
        return {name: value for name, value in told.items() if name not in _USUALLY or value != _USUALLY[name]}


_DESCRIBED_ONLY = ("length_min", "length_max", "bytes_per_row", "order", "rule")
# Members that are left out where they have this value, as nearly all columns do.
_USUALLY = {"nans": 0, "distinct_estimated": False}


class PreviewPart(Part):
    rows: list[list[Any]]
    clipped: bool = Field(False, description="At least one cell is shortened.")


class ProfilePart(Part):
    """Measured by the service, never taken from the caller."""

    shape: ShapePart
    columns: list[ColumnPart]
    statistics: list[StatisticsPart]
    preview: PreviewPart
    columns_omitted: int = Field(0, description="Columns left out of this answer for its size.")
    reading: dict[str, Any] = Field(
        default_factory=dict, description="How the bytes became rows: encoding, delimiter, …; see docs/typing.md."
    )

    def essential(self) -> Self:
        """The profile with the essential statistics of its columns."""
        return self.model_copy(update={"statistics": [known.essential() for known in self.statistics]})


class ProgressPart(Part):
    """How far a profile in the making has come."""

    stage: KnownStage
    bytes: int = Field(0, description="Of the file, fetched and checked.")
    rows: int = Field(0, description="Laid out so far.")
    updated_at: datetime


class PresignedPart(Part):
    """An HTTP request to make before ``expires_at``."""

    method: str
    url: str = Field(repr=False)
    headers: dict[str, str]
    expires_at: datetime


class UploadPartPart(Part):
    number: int
    offset: int
    size: int
    request: PresignedPart


class OpenSessionAnswer(Answer):
    token: str = Field(repr=False)
    session_id: str
    workspace: str = Field(description="Key prefix that this session's files lie under.")
    expires_at: datetime


class PrepareUploadAnswer(Answer):
    """One ``put``; or ``parts`` and then ``complete``, an S3 CompleteMultipartUpload with the parts' ETags; or neither,
    for a file that is ``present``."""

    key: str
    put: PresignedPart | None = None
    parts: list[UploadPartPart] = Field(default_factory=list)
    complete: PresignedPart | None = None
    upload_id: str | None = Field(None, description="Of the parts; ask with it again when their requests expire.")
    present: bool = Field(False, description="Nothing to send: register version_id of key.")
    version_id: str | None = Field(None, description="The version that is this file already, when present.")


class ArtifactFields(Answer):
    artifact_id: str
    reference: ReferenceOut
    name: str
    kind: KnownKind
    format: KnownFormat
    status: KnownStatus
    note: str | None = None
    profile: ProfilePart | None = None
    progress: ProgressPart | None = Field(None, description="While the status is profiling.")
    failure: ProblemOut | None = Field(None, description="Why the status is failed.")
    missing: Missing | None = Field(None, description="What is gone, when the status is missing.")


class RegisterArtifactAnswer(ArtifactFields):
    created: bool = Field(description="False when this registration was known already.")

    @classmethod
    def of(cls, request: Request, result: Any) -> Self:
        fields = ArtifactFields.model_validate(result.artifact)
        essential = fields.profile and fields.profile.essential()
        return cls.model_construct(**{**dict(fields), "profile": essential}, created=result.created)


class DescribeArtifactAnswer(ArtifactFields):
    description: str
    node: str
    session_id: str
    size: int
    sha256: str
    created_at: datetime
    lineage: list[str]


class SummaryPart(Part):
    artifact_id: str
    reference: ReferenceOut
    name: str
    description: str
    kind: KnownKind
    format: KnownFormat
    status: KnownStatus
    node: str
    size: int
    rows: int | None = None
    columns: int | None = None
    created_at: datetime


class ListArtifactsAnswer(Answer):
    artifacts: list[SummaryPart]
    next_cursor: str | None = None


class LoadArtifactAnswer(Answer):
    """``download`` for the working directory, ``key`` and ``version_id`` for a copy in the workspace."""

    artifact_id: str
    file_name: str
    size: int
    sha256: str
    download: PresignedPart | None = None
    key: str | None = None
    version_id: str | None = None


class SeriesColumnPart(Part):
    name: str
    type: str
    encoding: Encoding | None = None
    missing: int = Field(description="Rows of the window that are null or NaN.")
    gaps: int = Field(description="What can not be drawn: rows, or with min_max buckets, without any value.")
    nulls: int | None = Field(None, description="Null rows of the window; absent where only missing is known.")
    nans: int | None = Field(None, description="NaN rows of the window; absent where only missing is known.")
    values: list[Any] | None = Field(None, description="Every row, when the method is exact; else the chosen rows.")
    min: list[Any] | None = Field(None, description="Least value of each bucket; null where it has none.")
    max: list[Any] | None = Field(None, description="Greatest value of each bucket; null where it has none.")
    rows: list[int] | None = Field(None, description="Numbers of the chosen rows in the dataset, with lttb and m4.")
    x: list[Any] | None = Field(None, description="The axis at the chosen rows, with lttb and m4.")


class AxisPart(SeriesColumnPart):
    order: Order = Field(description="Of the values over the window's rows; unsorted also where it is not known.")


class ReadColumnsAnswer(Answer):
    """Rows ``offset`` to ``offset + rows``: with min_max, the window widened to whole buckets, and point ``i`` stands
    for ``bucket_rows`` rows from ``offset + i * bucket_rows`` on."""

    artifact_id: str
    columns: list[SeriesColumnPart]
    x: AxisPart | None = Field(None, description="The axis that was asked for; points stay in the order of the rows.")
    offset: int
    rows: int
    total: int
    method: Method
    bucket_rows: int
    s3_requests: int
    bytes_read: int

    @classmethod
    def of(cls, request: Request, result: Any) -> Self:
        reference: ReferenceModel = request.reference  # type: ignore[attr-defined]
        series: Series = result
        axis = series.axis
        # Constructed, not validated: the values are JSON values by the making, and there may be 100,000 of them.
        return cls.model_construct(
            artifact_id=reference.artifact_id,
            columns=[SeriesColumnPart.model_construct(**_series_column(column)) for column in series.columns],
            x=AxisPart.model_construct(**_series_column(axis.series), order=axis.order) if axis else None,
            offset=series.offset,
            rows=series.rows,
            total=series.total,
            method=series.method,
            bucket_rows=series.bucket_rows,
            s3_requests=series.cost.s3_requests,
            bytes_read=series.cost.bytes_read,
        )

    def to_json(self) -> dict[str, Any]:
        """As pydantic would, but for the values, which are passed on."""
        return {
            "v": self.v,
            "artifact_id": self.artifact_id,
            "columns": [told_members(column, _SERIES_MEMBERS) for column in self.columns],
            **({"x": told_members(self.x, _AXIS_MEMBERS)} if self.x else {}),
            "offset": self.offset,
            "rows": self.rows,
            "total": self.total,
            "method": self.method.value,
            "bucket_rows": self.bucket_rows,
            "s3_requests": self.s3_requests,
            "bytes_read": self.bytes_read,
        }


_SERIES_MEMBERS = tuple(SeriesColumnPart.model_fields)
_AXIS_MEMBERS = tuple(AxisPart.model_fields)


def _series_column(series: SeriesColumn) -> dict[str, Any]:
    column = series.column
    return {
        "name": column.name,
        "type": column.type,
        "encoding": column.encoding,
        "missing": series.missing,
        "gaps": series.gaps,
        "nulls": series.nulls,
        "nans": series.nans,
        "values": series.values,
        "min": series.min,
        "max": series.max,
        "rows": series.rows,
        "x": series.x,
    }
