"""What the operations need of the world, as small protocols. storage/, formats/ and runtime/ fulfil them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from session_datasets.domain.artifact import (
    Artifact,
    ArtifactSummary,
    Handoff,
    Location,
    ProfilingTask,
    Reference,
    RequestMark,
    Status,
)
from session_datasets.domain.ending import Lease, Removed, ScopeState
from session_datasets.domain.files import PresignedRequest, StoredFile, UploadPlan
from session_datasets.domain.limits import PROFILED_AT_ONCE_BYTES_MAX
from session_datasets.domain.page import Page, PageFormat, ReadCost, Reduction, Series
from session_datasets.domain.profile import (
    DerivedObject,
    JsonValue,
    LaidOutTable,
    Layout,
    Order,
    Profile,
    ReadingHints,
    Role,
)
from session_datasets.domain.scope import Caller, ListScope, Scope, SharedScope

Clock = Callable[[], datetime]
NewId = Callable[[], str]


class WorkspaceFiles(Protocol):
    """The files of the nodes, and the rules of where they may lie."""

    @property
    def bucket(self) -> str: ...

    def workspace(self, caller: Caller) -> str:
        """The key prefix of the caller's workspace, with its final slash."""

    def upload_key(self, caller: Caller, file_name: str) -> str:
        """Where an upload of this name goes. Refusal invalid-request for a name that is no plain segment."""

    def require_inside(self, caller: Caller, key: str) -> None:
        """Refusal key-outside-workspace unless ``key`` names a file of the caller's workspace; asks nobody."""

    def copy_key(self, caller: Caller, artifact: Artifact) -> str:
        """Where this artifact's copy in the caller's workspace goes: one place, however often it is loaded."""

    def find(self, key: str, version_id: str | None = None) -> StoredFile | None:
        """That version (the latest when None), or None when it is not there."""

    def announced(self, key: str, size: int, sha256: str) -> str | None:
        """The id of the newest version if it has ``size`` bytes and its upload announced ``sha256``; None otherwise."""

    def near_keys(self, prefix: str) -> Sequence[str]:
        """Some keys below ``prefix``, bounded in number."""

    def plan_upload(self, key: str, size: int, sha256: str, upload_id: str | None = None) -> UploadPlan:
        """Presigned requests that write ``size`` bytes to ``key`` and to nothing else.

        With ``upload_id`` the parts are those of an earlier plan for the same key and size; whether that upload
        still exists shows when they are sent.
        """

    def presign_download(self, location: Location) -> PresignedRequest:
        """A GET of exactly this version."""

    def chunks(self, key: str, version_id: str) -> Iterator[bytes]:
        """The bytes of one version, in order, in pieces of bounded size."""

    def copy(self, location: Location, key: str) -> StoredFile:
        """A server-side copy of this version to ``key``."""


class DerivedReader(Protocol):
    """Counted ranged reads of one dataset's derived objects, each pinned to its version."""

    @property
    def cost(self) -> ReadCost:
        """Requests and bytes so far, of all roles together."""

    def read(self, role: Role, offset: int, length: int) -> bytes:
        """One request. Refusal file-missing when the object is gone."""

    def read_each(self, role: Role, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        """The ranges, (offset, length) each, one request for each, several under way at a time."""


class Sink(Protocol):
    """Bytes of one derived object, written in order; memory stays bounded whatever is written."""

    def write(self, data: bytes | memoryview) -> int: ...

    def tell(self) -> int: ...


class DerivedWriter(Protocol):
    """The derived objects of one registration in the making. Nobody sees any of them before ``commit``."""

    def sink(self, role: Role) -> Sink:
        """Begins the object; once for each role."""

    def commit(self) -> Mapping[Role, DerivedObject]:
        """Completes the objects that were begun."""


class DerivedFiles(Protocol):
    """What the service writes beside the originals, below a prefix that no node can write."""

    def writer(self, scope: Scope, artifact_id: str) -> AbstractContextManager[DerivedWriter]:
        """What was begun and not committed when the context ends is taken back."""

    def write_profile(self, scope: Scope, artifact_id: str, profile: Profile) -> str:
        """Stores the whole profile; answers its key."""

    def read_profile(self, key: str) -> Profile: ...

    def reader(self, layout: Layout) -> DerivedReader: ...


class ArtifactRecords(Protocol):
    """The index."""

    def create(self, artifact: Artifact, mark: RequestMark | None) -> bool:
        """Stores the record, and the mark beside it, if both are new: both or neither. False otherwise.

        Refusal ended, here and in the two below, when the session was shut out.
        """

    def remember(self, caller: Caller, mark: RequestMark, artifact_id: str) -> bool:
        """Stores the mark of a request that an earlier registration answered, if its token is new; False otherwise."""

    def find_request(self, caller: Caller, token: str) -> tuple[RequestMark, str] | None:
        """What this session used the token for, and the artifact id it led to."""

    def find(self, caller: Caller, reference: Reference) -> Artifact | None:
        """The record if it exists and is visible to the caller; None otherwise, for either reason."""

    def find_recent(self, caller: Caller, reference: Reference) -> Artifact | None:
        """As ``find``; a record that this process found within the last minute may come from its memory.

        Only one that does not change any more; whether the caller may see it is decided anew every time.
        """

    def of_task(self, task: ProfilingTask) -> Artifact | None:
        """The record that the service itself asked about, whoever may see it; None when there is none."""

    def advance(self, artifact: Artifact, since: Status) -> bool:
        """Replaces the record if its status is still ``since``; False, and nothing done, when it is not."""

    def record_handoff(self, handoff: Handoff) -> None:
        """Keeps that this session loaded the artifact; once, however often it does."""

    def newest_first(
        self, caller: Caller, scope: ListScope, before: str | None, at_once: int
    ) -> Iterator[ArtifactSummary]:
        """Summaries by descending artifact id, those below ``before`` only, ``at_once`` of them fetched together."""


class Leases(Protocol):
    """Who holds a conversation or a run, and whether it has ended."""

    def take(self, caller: Caller, now: datetime, expires_at: datetime) -> SharedScope | None:
        """The new session holds what it belongs to, or nothing when one of these has ended: that is the answer then."""

    def is_over(self, caller: Caller) -> bool:
        """Whether this session was shut out: what it belongs to has ended while its token lives."""

    def state(self, scope: SharedScope) -> ScopeState: ...

    def of(self, scope: SharedScope) -> Sequence[Lease]:
        """All leases, expired ones as well: they tell which sessions there were, until they are dropped."""

    def mark_ended(self, scope: SharedScope, state: ScopeState, now: datetime) -> bool:
        """Ends it for good, unless it is not as ``state`` says any more: then False, and nothing done."""

    def shut_out(self, scope: SharedScope, session_ids: Sequence[str], now: datetime) -> None:
        """From now on no write into the partitions of these sessions succeeds, for good."""

    def drop(self, scope: SharedScope, leases: Sequence[Lease], now: datetime) -> None:
        """Forgets these sessions, of which nothing is left. One that also belongs to a run keeps its lease there,
        expired, when it is the conversation that ends."""

    def note(self, scope: SharedScope, removed: Removed, done_at: datetime | None) -> None:
        """Adds to the counts beside the mark; ``done_at`` is kept the first time that it is given."""


class RecordRemoval(Protocol):
    """What the index holds of an ended conversation or run. Iterating removes, page by page, and says what went."""

    def of_sessions(self, scope: SharedScope, leases: Sequence[Lease]) -> Iterator[Removed]:
        """Records and notes of these sessions; or, of a run's session when a conversation ends, nothing but what
        leads from the conversation to the records."""

    def indexed(self, scope: SharedScope, now: datetime) -> Iterator[Sequence[Lease]]:
        """Sessions that are found by their records alone, page by page; as if their leases expired now."""


class FileRemoval(Protocol):
    """The objects of an ended conversation or run. Iterating removes, page by page, and says what went."""

    def derived(self, scope: SharedScope) -> Iterator[Removed]:
        """What the service wrote beside the originals, whether or not a record tells of it."""

    def files(self, scope: SharedScope) -> Iterator[Removed]:
        """All files of its workspaces."""


class ProfileQueue(Protocol):
    """Where profiles wait that take longer than a call."""

    def send(self, task: ProfilingTask) -> None:
        """Asks for the profile, at least once; raises when that is not certain."""


class Cursors(Protocol):
    """Opaque signed continuations, good for one caller and one query."""

    def seal(self, caller: Caller, query: Mapping[str, JsonValue], position: str) -> str: ...

    def open(self, caller: Caller, query: Mapping[str, JsonValue], cursor: str) -> str:
        """The position; Refusal invalid-cursor for anything that ``seal`` did not make for this caller and query."""


class TokenIssuer(Protocol):
    def issue(self, caller: Caller, *, issued_at: datetime, expires_at: datetime) -> str:
        """A signed access token that says who the caller is."""


class Tables(Protocol):
    """The one seam behind which files are understood and rows are laid out and read."""

    def lay_out(
        self,
        file: Path,
        file_name: str,
        hints: ReadingHints,
        writer: DerivedWriter,
        progress: Callable[[int], None] | None = None,
    ) -> LaidOutTable:
        """Detects the format from the bytes, decides the types, measures the profile and writes the rows.

        ``progress`` is called now and then with the rows laid out so far; what it raises ends the work.

        Raises Refusal unreadable-file (damaged, not what it seems, or against the hints) or empty-file; a format
        without rows answers Format.OTHER and a note. The caller commits the writer, or not.
        """

    def read_rows(
        self,
        reader: DerivedReader,
        layout: Layout,
        *,
        offset: int,
        limit: int,
        columns: Sequence[str] | None,
        max_bytes: int,
        format: PageFormat,
    ) -> Page:
        """One page; shrinks to ``max_bytes`` and says so.

        Of JSON (UTF-8 after escaping), and to PAGE_CELLS_MAX; or of Arrow in base64, and to
        ARROW_PAGE_DECODED_BYTES_MAX. ``columns`` in the requested order, None for all. Raises Refusal unknown-column,
        and too-large for a row that no page holds: the cells of an Arrow page are never clipped.
        """

    def read_columns(
        self,
        reader: DerivedReader,
        layout: Layout,
        *,
        columns: Sequence[str],
        offset: int,
        rows: int,
        max_points: int,
        reduction: Reduction,
        x: str | None,
        x_order: Order | None,
    ) -> Series:
        """The columns over ``rows`` rows from ``offset``, at most ``max_points`` (SERIES_POINTS_MIN at least) of each.

        Every value where they are no more rows, else reduced as ``reduction`` says. ``x`` is a column to draw them
        over; ``x_order`` the order of its values over the whole dataset, where that is known. Raises Refusal
        unknown-column, invalid-request for values that can not be reduced, and too-large.
        """


@dataclass(frozen=True, slots=True)
class Service:
    """Everything an operation may reach. A function's wiring fills it; a room that it lacks is not in its bundle."""

    files: WorkspaceFiles
    derived: DerivedFiles
    records: ArtifactRecords
    leases: Leases
    record_removal: RecordRemoval
    file_removal: FileRemoval
    cursors: Cursors
    tokens: TokenIssuer
    tables: Tables
    profile_queue: ProfileQueue
    clock: Clock
    new_id: NewId
    # Folder for working files; the system's temporary one when None.
    scratch: Path | None = None
    # Bytes of a file up to which its profile is made within the call.
    profiled_at_once_bytes: int = PROFILED_AT_ONCE_BYTES_MAX
