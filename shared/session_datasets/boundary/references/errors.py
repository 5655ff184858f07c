"""Why a value was not written behind a reference, or a reference not followed.

DatasetReferenceError (a SessionDatasetsError)     detail, advice, code
├── MalformedReferenceError     it has the key "$dataset", and is no reference of this kind or version
├── WrongStoreError             it lies in another kind of store than the one that was passed
├── OutsideReferenceError       its key leads out of the store; nothing was read
├── UnreachableReferenceError   nothing with this id is within reach: it never was, or another run has it
├── MissingReferenceError       its file is gone
├── ChangedReferenceError       its file is there, with other bytes than those that were saved
├── UnreadableReferenceError    the bytes are right, and no value can be made of them here
├── HydrateBudgetError          more bytes, files or levels than one hydrate brings back
└── UnsupportedFrameError       a frame or an array that no file holds without loss
"""

from __future__ import annotations

from session_datasets.client.errors import SessionDatasetsError


class DatasetReferenceError(SessionDatasetsError):
    code = "dataset_reference"
    title = "The reference was not followed"


class MalformedReferenceError(DatasetReferenceError):
    code = "malformed_reference"


class WrongStoreError(DatasetReferenceError):
    code = "wrong_store"


class OutsideReferenceError(DatasetReferenceError):
    code = "outside_store"


class UnreachableReferenceError(DatasetReferenceError):
    code = "not_found"


class MissingReferenceError(DatasetReferenceError):
    code = "file_missing"


class ChangedReferenceError(DatasetReferenceError):
    code = "file_changed"


class UnreadableReferenceError(DatasetReferenceError):
    code = "unreadable_reference"


class HydrateBudgetError(DatasetReferenceError):
    code = "hydrate_budget"


class UnsupportedFrameError(DatasetReferenceError):
    code = "unsupported_frame"
    title = "The value was not saved"
