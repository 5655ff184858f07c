"""Why nothing was saved, as corrective answers.

SessionDatasetsError
└── MaterializeError             nothing was saved and nothing registered
    ├── InvalidMaterializeError    an argument breaks a rule; no row was pulled
    │   ├── UnknownFormatError       neither csv nor parquet
    │   ├── UnsafeFileNameError      the name is no plain file name
    │   └── BudgetTooSmallError      not even a file without rows fits
    ├── SourceFailedError          the rows' own iterator raised; .rows_read tells after how many
    ├── UnwritableRowError         a row that is no row of these columns, or a cell that no file holds
    └── WriteFailedError           the backend did not take the file
"""

from __future__ import annotations

from session_datasets.client.errors import SessionDatasetsError


class MaterializeError(SessionDatasetsError):
    title = "The result was not saved"


class InvalidMaterializeError(MaterializeError):
    title = "The result can not be saved this way"


class UnknownFormatError(InvalidMaterializeError):
    title = "The format is not known"


class UnsafeFileNameError(InvalidMaterializeError):
    title = "The file name is not a plain one"


class BudgetTooSmallError(InvalidMaterializeError):
    title = "The budget holds no row"


class SourceFailedError(MaterializeError):
    """``rows_read`` rows had come before the source failed; its own exception is the cause."""

    title = "The source of the rows failed"
    begun = True

    def __init__(self, detail: str, advice: str, rows_read: int) -> None:
        super().__init__(detail, advice)
        self.rows_read = rows_read


class UnwritableRowError(MaterializeError):
    """``row`` counts from 1."""

    title = "A row can not be written"
    begun = True

    def __init__(self, detail: str, advice: str, row: int) -> None:
        super().__init__(detail, advice)
        self.row = row


class WriteFailedError(MaterializeError):
    title = "The file was not written"
    begun = True
