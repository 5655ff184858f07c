"""Refusals as answers: a stable code, what was not done, what to do next, and whether trying again helps.

``Refusal`` is the only exception that crosses a room. Members follow RFC 9457 (Problem Details for HTTP APIs);
``code``, ``advice``, ``retryable``, ``did_you_mean`` and ``retry_with`` are this product's extension members.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

PROBLEM_TYPE_PREFIX = "urn:session-datasets:problem:"


class ProblemCode(StrEnum):
    """Stable names of every problem; docs/errors.md shows one example of each."""

    INVALID_REQUEST = "invalid-request"
    UNSUPPORTED_VERSION = "unsupported-version"
    TOKEN_MISSING = "token-missing"
    TOKEN_EXPIRED = "token-expired"
    TOKEN_INVALID = "token-invalid"
    VERB_NOT_ALLOWED = "verb-not-allowed"
    NOT_FOUND = "not-found"
    REFERENCE_MISMATCH = "reference-mismatch"
    KEY_OUTSIDE_WORKSPACE = "key-outside-workspace"
    FILE_NOT_FOUND = "file-not-found"
    EMPTY_FILE = "empty-file"
    UNREADABLE_FILE = "unreadable-file"
    CHECKSUM_MISMATCH = "checksum-mismatch"
    SIZE_MISMATCH = "size-mismatch"
    ROWS_MISMATCH = "rows-mismatch"
    REQUEST_TOKEN_CONFLICT = "request-token-conflict"
    HINTS_CONFLICT = "hints-conflict"
    TOO_LARGE = "too-large"
    NOT_A_DATASET = "not-a-dataset"
    STILL_PROFILING = "still-profiling"
    UNKNOWN_COLUMN = "unknown-column"
    INVALID_CURSOR = "invalid-cursor"
    FILE_MISSING = "file-missing"
    FILE_CHANGED = "file-changed"
    STILL_IN_USE = "still-in-use"
    ENDED = "ended"
    UNAVAILABLE = "unavailable"
    INTERNAL = "internal"


@dataclass(frozen=True, slots=True)
class ProblemKind:
    """What is the same for every problem of one code. ``status`` is the HTTP status of RFC 9110."""

    title: str
    status: int
    advice: str
    retryable: bool = False


PROBLEM_KINDS: Mapping[ProblemCode, ProblemKind] = {
    ProblemCode.INVALID_REQUEST: ProblemKind(
        "The request is not valid", 400, "Correct the field that the detail names and call again."
    ),
    ProblemCode.UNSUPPORTED_VERSION: ProblemKind(
        "The wire version is not supported", 400, 'Send "v": 1, or use an SDK of the same major version as the service.'
    ),
    ProblemCode.TOKEN_MISSING: ProblemKind(
        "No access token", 401, "Send the token that open_session gave to this session in the field 'token'."
    ),
    ProblemCode.TOKEN_EXPIRED: ProblemKind(
        "The access token has expired",
        401,
        "Ask the orchestrator for a new session of the same conversation or run; what was registered is still there.",
    ),
    ProblemCode.TOKEN_INVALID: ProblemKind(
        "The access token is not valid",
        401,
        "Use the token that this deployment's open_session gave to this session, unchanged.",
    ),
    ProblemCode.VERB_NOT_ALLOWED: ProblemKind(
        "The token does not allow this verb", 403, "Ask the orchestrator for a session that is allowed this verb."
    ),
    ProblemCode.NOT_FOUND: ProblemKind(
        "No such artifact",
        404,
        "Call list_artifacts to see what this session can reach, and use an artifact_id from there.",
    ),
    ProblemCode.REFERENCE_MISMATCH: ProblemKind(
        "The reference disagrees with the record",
        409,
        "Pass the reference exactly as register_artifact or list_artifacts gave it.",
    ),
    ProblemCode.KEY_OUTSIDE_WORKSPACE: ProblemKind(
        "The key is not in this session's workspace",
        400,
        "Upload the file with prepare_upload and register the key it returns.",
    ),
    ProblemCode.FILE_NOT_FOUND: ProblemKind(
        "There is no file at this key",
        404,
        "Upload the file first, then register the key that prepare_upload returned.",
    ),
    ProblemCode.EMPTY_FILE: ProblemKind(
        "The file is empty",
        422,
        "Write the data to the file (a header line is enough for zero rows), upload it and register again.",
    ),
    ProblemCode.UNREADABLE_FILE: ProblemKind(
        "The file cannot be read as what it seems to be",
        422,
        "Write the file again as CSV, JSON Lines or Parquet, then register it.",
    ),
    ProblemCode.CHECKSUM_MISMATCH: ProblemKind(
        "The bytes are not the ones announced",
        409,
        "Upload the file again and register the new version.",
        retryable=True,
    ),
    ProblemCode.SIZE_MISMATCH: ProblemKind(
        "The file does not have the announced size",
        409,
        "Upload the file again and register the new version.",
        retryable=True,
    ),
    ProblemCode.ROWS_MISMATCH: ProblemKind(
        "The file does not have the announced rows",
        409,
        "Check the file, or register it without 'rows' to take the counted number.",
    ),
    ProblemCode.REQUEST_TOKEN_CONFLICT: ProblemKind(
        "This request token was used for another registration",
        409,
        "Use a new request_token for a different registration.",
    ),
    ProblemCode.HINTS_CONFLICT: ProblemKind(
        "The file is registered with other hints",
        409,
        "Use the registered artifact as it is, or register the file under another name to read it another way.",
    ),
    ProblemCode.TOO_LARGE: ProblemKind(
        "The answer or the file is too large",
        413,
        "Ask for fewer rows or columns, or load the file instead of reading it.",
    ),
    ProblemCode.NOT_A_DATASET: ProblemKind(
        "The artifact has no rows to page", 422, "Use load_artifact to fetch the file and open it in the node."
    ),
    ProblemCode.STILL_PROFILING: ProblemKind(
        "The artifact is still being profiled",
        409,
        "Wait a few seconds and make the same call again; describe_artifact shows the progress, and load_artifact "
        "gives the file already.",
        retryable=True,
    ),
    ProblemCode.UNKNOWN_COLUMN: ProblemKind(
        "No such column", 400, "Use a column name from the artifact's schema; describe_artifact lists them."
    ),
    ProblemCode.INVALID_CURSOR: ProblemKind(
        "The cursor is not valid",
        400,
        "Start the listing again without a cursor; use a cursor only with the same session and filters.",
    ),
    ProblemCode.FILE_MISSING: ProblemKind(
        "The registered file is gone",
        410,
        "Register the file again from the node that produced it, or choose another artifact.",
    ),
    ProblemCode.FILE_CHANGED: ProblemKind(
        "The registered version of the file is gone",
        409,
        "Register the present version of the file, and use the new reference.",
    ),
    ProblemCode.STILL_IN_USE: ProblemKind(
        "Sessions are still open in it",
        409,
        "Wait until they are over and make the same call again. If you know that their nodes have ended, call with "
        "release_leases: true; whatever such a session still tries to write is refused from then on.",
        retryable=True,
    ),
    ProblemCode.ENDED: ProblemKind(
        "The conversation or run has ended",
        409,
        "An end is final. Ask the orchestrator for a session of another conversation or run, and write there.",
    ),
    ProblemCode.UNAVAILABLE: ProblemKind(
        "The service is busy", 503, "Wait a second and make the same call again; it is safe to repeat.", retryable=True
    ),
    ProblemCode.INTERNAL: ProblemKind(
        "The service failed",
        500,
        "Make the same call once more; if it fails again, report the request_id.",
        retryable=True,
    ),
}


@dataclass(frozen=True, slots=True)
class Problem:
    """One refusal, ready to be answered."""

    code: ProblemCode
    detail: str
    advice: str
    did_you_mean: tuple[str, ...] = ()
    retry_with: Mapping[str, Any] = field(default_factory=dict)

    @property
    def kind(self) -> ProblemKind:
        return PROBLEM_KINDS[self.code]


class Refusal(Exception):
    """Raised where a rule says no; the door answers with its ``problem``."""

    def __init__(
        self,
        code: ProblemCode,
        detail: str,
        *,
        advice: str | None = None,
        did_you_mean: Sequence[str] = (),
        retry_with: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(detail)
        self.problem = Problem(
            code, detail, advice or PROBLEM_KINDS[code].advice, tuple(did_you_mean), dict(retry_with or {})
        )


def not_found() -> Refusal:
    """The one answer for an artifact that does not exist and for one that is somebody else's."""
    return Refusal(ProblemCode.NOT_FOUND, "No artifact with this id can be reached from this session.")


def session_ended() -> Refusal:
    """For a session that still holds a token of an ended conversation or run."""
    return Refusal(ProblemCode.ENDED, "The conversation or run of this session has ended; nothing was written.")
