"""Everything that the client raises, in one tree.

    SessionDatasetsError                 detail, advice
    ├── ProblemError                     the service refused; .problem is its whole answer
    │   ├── InvalidRequestError            the request breaks a rule that the detail names
    │   ├── AuthenticationError            the token is missing, expired or not valid
    │   ├── NotAllowedError                the token does not allow this verb
    │   ├── NotFoundError                  no such artifact or file within reach of this session
    │   ├── ConflictError                  what was announced and what is there disagree
    │   ├── StillInUseError                sessions are open in what was to be ended
    │   ├── EndedError                     the conversation or run has ended
    │   ├── FileGoneError                  the registered file, or its registered version, is gone
    │   ├── UnreadableFileError            the file is empty or damaged
    │   ├── NotADatasetError               the artifact has no rows to page
    │   ├── StillProfilingError            its rows can be read when its profile has been made
    │   ├── TooLargeError                  more than one call answers
    │   └── UnavailableError               busy or failing, after the client's own tries
    ├── TransportError                   no answer came from the service
    │   ├── NotDeployedError               no such function, or no permission to invoke it
    │   ├── LostAnswerError                the call was made, its answer did not arrive
    │   ├── FunctionFailedError            the function ended without an answer
    │   │   └── FunctionTimedOutError        ... because its time was up
    │   └── UnexpectedAnswerError          the answer is not one of this wire version
    ├── TransferError                    a file did not come through whole
    │   ├── ChecksumError                  its bytes are not the registered ones
    │   └── NotEnoughSpaceError            the disk has no room for it
    ├── WaitedTooLongError               the profile is not there yet; the service goes on making it
    ├── UnsafePathError                  the file would land outside the working directory
    ├── IncompleteRowError               a row is larger than any page; only a load gives it whole
    ├── UnwritableTableError             a frame that no Parquet file can hold
    ├── ConfigurationError               no token or region, or credentials that are missing or have expired
    └── MissingExtraError                pyarrow or pandas is not installed

A text never holds a token or a presigned URL, nor another secret that a library put into its words.
"""

from __future__ import annotations

from enum import Enum

from session_datasets.domain.errors import ProblemCode
from session_datasets.domain.redaction import redact
from session_datasets.wire.problem import ProblemModel


class SessionDatasetsError(Exception):
    """``detail`` says what was not done and why, ``advice`` what to do next. ``correlation_id`` finds what the service
    logged of the call; empty when it was not asked. ``begun``: it came up on the way, so nobody may say that nothing
    was executed."""

    title = "The call did not succeed"
    correlation_id = ""
    begun = False

    def __init__(self, detail: str, advice: str = "") -> None:
        # Most details are our own words; some quote a library.
        self.detail = redact(detail)
        self.advice = redact(advice)
        super().__init__(self.detail)

    def __str__(self) -> str:
        return f"{self.detail} {self.advice}".rstrip()


class ProblemError(SessionDatasetsError):
    """A refusal. ``problem`` holds its stable code, did_you_mean and retry_with."""

    def __init__(self, problem: ProblemModel) -> None:
        super().__init__(problem.detail, problem.advice)
        self.problem = problem
        self.title = problem.title

    @property
    def code(self) -> str:
        return self.problem.code

    def __str__(self) -> str:
        near = ", ".join(repr(name) for name in self.problem.did_you_mean)
        return super().__str__() + (f" Did you mean {near}?" if near else "")


class InvalidRequestError(ProblemError): ...


class AuthenticationError(ProblemError): ...


class NotAllowedError(ProblemError): ...


class NotFoundError(ProblemError): ...


class ConflictError(ProblemError): ...


class StillInUseError(ProblemError): ...


class EndedError(ProblemError): ...


class FileGoneError(ProblemError): ...


class UnreadableFileError(ProblemError): ...


class NotADatasetError(ProblemError): ...


class StillProfilingError(ProblemError): ...


class TooLargeError(ProblemError): ...


class UnavailableError(ProblemError): ...


class Again(Enum):
    """When the same call may succeed."""

    NEVER = "it fails the same way"
    SOON = "a moment later"
    LATER = "when a function has started or capacity has come back: seconds to a minute"
    ONCE = "a moment later, but every try takes many minutes"


class TransportError(SessionDatasetsError):
    """``again`` says when the same call may succeed; the client has tried accordingly."""

    title = "The service did not answer"
    begun = True

    def __init__(self, detail: str, advice: str = "", *, again: Again = Again.NEVER) -> None:
        super().__init__(detail, advice)
        self.again = again


class NotDeployedError(TransportError):
    title = "The service is not there"
    begun = False


class LostAnswerError(TransportError):
    """What was asked may have been done."""

    title = "The answer did not arrive"


class FunctionFailedError(TransportError):
    title = "The function failed"


class FunctionTimedOutError(FunctionFailedError):
    title = "The function ran out of time"


class UnexpectedAnswerError(TransportError):
    title = "The answer is not understood"


class TransferError(SessionDatasetsError):
    """``status`` and ``code`` are the storage's, None and empty when no answer came. ``expired``: the permission to
    transfer ran out on the way. ``final``: trying again changes nothing."""

    title = "The file was not transferred"
    begun = True
    final = False

    def __init__(
        self, detail: str, advice: str = "", *, status: int | None = None, code: str = "", expired: bool = False
    ) -> None:
        super().__init__(detail, advice)
        self.status = status
        self.code = code
        self.expired = expired


class ChecksumError(TransferError):
    final = True
    title = "The bytes are not the registered ones"


class NotEnoughSpaceError(TransferError):
    final = True
    title = "The disk is too full"


class WaitedTooLongError(SessionDatasetsError):
    title = "The artifact is still being profiled"
    begun = True


class UnsafePathError(SessionDatasetsError):
    title = "The path leaves the working directory"


class IncompleteRowError(SessionDatasetsError):
    title = "A row is too large for a page"


class UnwritableTableError(SessionDatasetsError):
    title = "The table cannot be written"


class ConfigurationError(SessionDatasetsError):
    title = "The environment is not complete"


class MissingExtraError(SessionDatasetsError):
    title = "A library is missing"


_FAMILIES: dict[str, type[ProblemError]] = {
    ProblemCode.INVALID_REQUEST: InvalidRequestError,
    ProblemCode.UNSUPPORTED_VERSION: InvalidRequestError,
    ProblemCode.KEY_OUTSIDE_WORKSPACE: InvalidRequestError,
    ProblemCode.UNKNOWN_COLUMN: InvalidRequestError,
    ProblemCode.INVALID_CURSOR: InvalidRequestError,
    ProblemCode.TOKEN_MISSING: AuthenticationError,
    ProblemCode.TOKEN_EXPIRED: AuthenticationError,
    ProblemCode.TOKEN_INVALID: AuthenticationError,
    ProblemCode.VERB_NOT_ALLOWED: NotAllowedError,
    ProblemCode.NOT_FOUND: NotFoundError,
    ProblemCode.FILE_NOT_FOUND: NotFoundError,
    ProblemCode.REFERENCE_MISMATCH: ConflictError,
    ProblemCode.CHECKSUM_MISMATCH: ConflictError,
    ProblemCode.SIZE_MISMATCH: ConflictError,
    ProblemCode.ROWS_MISMATCH: ConflictError,
    ProblemCode.REQUEST_TOKEN_CONFLICT: ConflictError,
    ProblemCode.HINTS_CONFLICT: ConflictError,
    ProblemCode.STILL_IN_USE: StillInUseError,
    ProblemCode.ENDED: EndedError,
    ProblemCode.FILE_MISSING: FileGoneError,
    ProblemCode.FILE_CHANGED: FileGoneError,
    ProblemCode.EMPTY_FILE: UnreadableFileError,
    ProblemCode.UNREADABLE_FILE: UnreadableFileError,
    ProblemCode.NOT_A_DATASET: NotADatasetError,
    ProblemCode.STILL_PROFILING: StillProfilingError,
    ProblemCode.TOO_LARGE: TooLargeError,
    ProblemCode.UNAVAILABLE: UnavailableError,
    ProblemCode.INTERNAL: UnavailableError,
}

# For a code that is newer than this client.
_FAMILIES_BY_STATUS: dict[int, type[ProblemError]] = {
    400: InvalidRequestError,
    401: AuthenticationError,
    403: NotAllowedError,
    404: NotFoundError,
    409: ConflictError,
    410: FileGoneError,
    413: TooLargeError,
    429: UnavailableError,
    500: UnavailableError,
    503: UnavailableError,
}


def error_of(problem: ProblemModel) -> ProblemError:
    """The typed exception of a refusal."""
    family = _FAMILIES.get(problem.code) or _FAMILIES_BY_STATUS.get(problem.status, ProblemError)
    return family(problem)
