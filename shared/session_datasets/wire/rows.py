"""What read_rows is asked and answers.

In a module of its own, with what it shares with other verbs: its function starts while somebody waits for a page, and
to make the classes of all verbs' models would take longer than the page.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Self

from pydantic import ConfigDict, Field, SkipValidation, model_validator

from session_datasets.domain import limits
from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.page import LimitHit, Page, PageFormat
from session_datasets.domain.profile import Encoding
from session_datasets.wire.base import Answer, Model, Request
from session_datasets.wire.reference import ReferenceField, ReferenceModel

Columns = Annotated[list[str], Field(min_length=1, max_length=limits.PAGE_COLUMNS_MAX)]


class OneArtifactRequest(Request):
    reference: ReferenceField

    def arguments(self) -> dict[str, Any]:
        reference: ReferenceModel = self.reference
        return {**super().arguments(), "reference": reference.to_domain()}


_LIMIT_TAKES = (
    f"limit takes 1 to {limits.PAGE_ROWS_MAX:,}. With format arrow it takes up to {limits.ARROW_PAGE_ROWS_MAX:,}."
)


class ReadRowsRequest(OneArtifactRequest):
    """read_rows: one page of rows."""

    TAKES: ClassVar[Mapping[str, str]] = {"limit": _LIMIT_TAKES}

    offset: int = Field(0, ge=0, le=limits.OFFSET_MAX)
    limit: int = Field(
        limits.PAGE_ROWS_DEFAULT,
        ge=1,
        le=limits.ARROW_PAGE_ROWS_MAX,
        description=f"Rows; at most {limits.PAGE_ROWS_MAX:,} of format json.",
    )
    columns: Columns | None = Field(None, description="In this order; all when absent.")
    max_bytes: int = Field(
        limits.PAGE_BYTES_DEFAULT,
        ge=limits.PAGE_BYTES_MIN,
        le=limits.PAGE_BYTES_MAX,
        description="Bytes of JSON, or of base64, that the rows may take; the page shrinks to it and says so.",
    )
    format: Annotated[PageFormat, Field(strict=False)] = Field(
        PageFormat.JSON, description="json answers rows, arrow one Arrow IPC stream in base64."
    )

    @model_validator(mode="after")
    def _few_rows_of_json(self) -> Self:
        if self.format is PageFormat.JSON and self.limit > limits.PAGE_ROWS_MAX:
            raise Refusal(
                ProblemCode.INVALID_REQUEST,
                f"limit: a page of format json has at most {limits.PAGE_ROWS_MAX:,} rows.",
                advice=_LIMIT_TAKES,
                retry_with={"limit": limits.PAGE_ROWS_MAX},
            )
        return self


class Part(Model):
    """A piece of an answer."""

    model_config = ConfigDict(from_attributes=True, strict=False)


class ColumnPart(Part):
    name: str
    type: str = Field(description="Arrow's spelling of the type.")
    encoding: Encoding | None = Field(None, description="How cells travel where plain JSON would change them.")


class ClippedPart(Part):
    row: int
    column: int
    characters: int


class ReadRowsAnswer(Answer):
    """``rows``; or, with format arrow, ``arrow``: one Arrow IPC stream in base64, whose fields are ``columns``."""

    artifact_id: str
    columns: list[ColumnPart]
    offset: int
    # Each row is a list by the making of the page; to look at every cell takes longer than to encode it.
    rows: list[Annotated[list[Any], SkipValidation]] | None = None
    arrow: str | None = Field(None, repr=False, description="An Arrow IPC stream of the rows, in base64.")
    returned: int
    total: int
    next_offset: int | None = Field(None, description="Null at the end of the dataset.")
    limit_hit: LimitHit | None = Field(None, description="What ended the page before the dataset did.")
    clipped: list[ClippedPart] = Field(default_factory=list)
    s3_requests: int
    bytes_read: int

    @classmethod
    def of(cls, request: Request, result: Any) -> Self:
        reference: ReferenceModel = request.reference  # type: ignore[attr-defined]
        page: Page = result
        # Constructed, not validated: the cells are JSON values by the making, and there may be 200,000 of them.
        return cls.model_construct(
            artifact_id=reference.artifact_id,
            columns=[
                ColumnPart.model_construct(name=column.name, type=column.type, encoding=column.encoding)
                for column in page.columns
            ],
            offset=page.offset,
            rows=page.rows,
            arrow=None if page.arrow is None else b64encode(page.arrow).decode("ascii"),
            returned=page.returned,
            total=page.total,
            next_offset=page.next_offset,
            limit_hit=page.limit_hit,
            clipped=[ClippedPart.model_validate(cell) for cell in page.clipped],
            s3_requests=page.cost.s3_requests,
            bytes_read=page.cost.bytes_read,
        )

    def to_json(self) -> dict[str, Any]:
        """Cells are JSON values already: they are passed on, for pydantic would walk through all of them."""
        return {
            "v": self.v,
            "artifact_id": self.artifact_id,
            "columns": [told_members(column, _COLUMN_MEMBERS) for column in self.columns],
            "offset": self.offset,
            **({"rows": self.rows} if self.arrow is None else {"arrow": self.arrow}),
            "returned": self.returned,
            "total": self.total,
            "next_offset": self.next_offset,
            "limit_hit": self.limit_hit.value if self.limit_hit else None,
            "clipped": [cell.model_dump(mode="json") for cell in self.clipped],
            "s3_requests": self.s3_requests,
            "bytes_read": self.bytes_read,
        }


# Members of the parts that pages and series are made of, in their order.
_COLUMN_MEMBERS = tuple(ColumnPart.model_fields)


def told_members(part: Model, members: tuple[str, ...]) -> dict[str, Any]:
    """A part whose values are JSON values or texts of enumerations already: pydantic would walk through all of them."""
    told = {name: getattr(part, name) for name in members}
    return {
        name: value.value if isinstance(value, StrEnum) else value for name, value in told.items() if value is not None
    }
