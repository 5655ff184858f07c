"""Every S3 key and DynamoDB key of the product is built or checked here, from ids that the door has checked.

S3 keeps ``a/../b`` and ``%2e`` literally, so nothing is normalised: a key is on the allow-list or refused.
"""

from __future__ import annotations

import re

from session_datasets.domain.artifact import ARTIFACT_ID_PREFIX, Artifact
from session_datasets.domain.audit import DerivedPlace, FilePlace, Place, WorkspaceOf
from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.limits import FILE_NAME_BYTES_MAX, KEY_BYTES_MAX
from session_datasets.domain.names import CONVERSATIONS_SEGMENT, DERIVED_PREFIX, REPORTS_PREFIX, RUNS_SEGMENT
from session_datasets.domain.profile import Role
from session_datasets.domain.scope import Caller, Scope, ScopeKind, SharedScope, is_id

DATASETS_FOLDER = "datasets"
DOCUMENTS_FOLDER = "docs"
_LOADED_FOLDER = "loaded"

# No leading dot, so neither '.' nor '..' is a segment; ASCII only, so no look-alikes and no normal forms.
_SEGMENT = re.compile(r"[A-Za-z0-9_][A-Za-z0-9 ._@=+(),-]*", re.ASCII)
_UNSAFE = re.compile(r"[^A-Za-z0-9 ._@=+(),-]", re.ASCII)


_SCOPE_SEGMENTS = {ScopeKind.CONVERSATION: CONVERSATIONS_SEGMENT, ScopeKind.RUN: RUNS_SEGMENT}


def workspace_prefix(caller: Caller | Scope) -> str:
    """A node of a run has a workspace of its own; the sessions of a chat share their conversation's."""
    if caller.run_id is not None:
        return f"{caller.owner}/{RUNS_SEGMENT}/{caller.run_id}/{caller.session_id}/"
    return f"{caller.owner}/{CONVERSATIONS_SEGMENT}/{caller.conversation_id}/"


def shared_prefix(scope: SharedScope) -> str:
    """All workspaces of a conversation or a run lie below; ends with a slash, so that run-1 is no part of run-10."""
    return f"{scope.owner}/{_SCOPE_SEGMENTS[scope.kind]}/{scope.id}/"


def derived_prefix(scope: SharedScope) -> str:
    """All that was derived from files of the scope's workspaces lies below."""
    return f"{DERIVED_PREFIX}/{shared_prefix(scope)}"


def upload_key(caller: Caller, file_name: str) -> str:
    if not _is_segment(file_name):
        raise Refusal(
            ProblemCode.INVALID_REQUEST,
            "file_name: not a plain file name; no upload was prepared.",
            advice=f"Use up to {FILE_NAME_BYTES_MAX} of A-Z a-z 0-9 space ._@=+(),- and begin with a letter or digit.",
            retry_with={"file_name": safe_file_name(file_name)},
        )
    return f"{workspace_prefix(caller)}{DATASETS_FOLDER}/{file_name}"


def copy_key(caller: Caller, artifact: Artifact) -> str:
    name = artifact.location.file_name
    return f"{workspace_prefix(caller)}{DATASETS_FOLDER}/{_LOADED_FOLDER}/{artifact.artifact_id}/{name}"


def require_inside(caller: Caller, key: str) -> None:
    """Refuses a key that is not a file below datasets/ or docs/ of the caller's own workspace."""
    prefix = workspace_prefix(caller)
    folder, _, rest = key.removeprefix(prefix).partition("/")
    segments = rest.split("/")
    inside = key.startswith(prefix) and folder in (DATASETS_FOLDER, DOCUMENTS_FOLDER)
    if not inside or not all(_is_segment(segment) for segment in segments) or len(key) > KEY_BYTES_MAX:
        raise Refusal(
            ProblemCode.KEY_OUTSIDE_WORKSPACE,
            f"A key must lie below {prefix}{DATASETS_FOLDER}/ or {prefix}{DOCUMENTS_FOLDER}/; nothing was done.",
        )


def safe_file_name(file_name: str) -> str:
    """The nearest name that is a plain segment; the suffix survives a cut."""
    name = _UNSAFE.sub("_", re.split(r"[/\\]", file_name)[-1]).lstrip(". ") or "file"
    if not _SEGMENT.match(name):
        name = f"_{name}"
    stem, dot, suffix = name.rpartition(".")
    keep = FILE_NAME_BYTES_MAX - len(dot) - len(suffix)
    return f"{stem[:keep]}{dot}{suffix}" if stem and keep > 0 else name[:FILE_NAME_BYTES_MAX]


def _is_segment(text: str) -> bool:
    return len(text) <= FILE_NAME_BYTES_MAX and _SEGMENT.fullmatch(text) is not None


def derived_key(scope: Scope, artifact_id: str, role: Role) -> str:
    """As the workspaces lie, so that what was derived goes with them, whether or not a record tells of it."""
    return f"{DERIVED_PREFIX}/{workspace_prefix(scope)}{artifact_id}/{role}"


def profile_key(scope: Scope, artifact_id: str) -> str:
    return f"{DERIVED_PREFIX}/{workspace_prefix(scope)}{artifact_id}/profile.json"


def place_of(key: str) -> Place | None:
    """Whose file or derived object lies here; None for a key that no workspace has."""
    derived, _, rest = key.partition("/")
    if derived != DERIVED_PREFIX:
        workspace, _ = _workspace_of(key)
        return FilePlace(workspace, key) if workspace else None
    workspace, rest = _workspace_of(rest)
    artifact_id = rest.partition("/")[0]
    return DerivedPlace(workspace, artifact_id) if workspace and artifact_id.startswith(ARTIFACT_ID_PREFIX) else None


def _workspace_of(key: str) -> tuple[WorkspaceOf | None, str]:
    """The workspace, and the key within it. A person may put anything into the bucket: what is no id names nobody, and
    no role could be put on in its name."""
    match key.split("/"):
        case [owner, segment, id_, *rest] if segment == CONVERSATIONS_SEGMENT and rest:
            found = WorkspaceOf(owner, ScopeKind.CONVERSATION, id_)
        case [owner, segment, id_, session_id, *rest] if segment == RUNS_SEGMENT and rest and is_id(session_id):
            found = WorkspaceOf(owner, ScopeKind.RUN, id_, session_id)
        case _:
            return None, ""
    return (found, "/".join(rest)) if is_id(owner) and is_id(id_) else (None, "")


def is_of_a_node(place: FilePlace) -> bool:
    """Whether a node wrote the file as a dataset: not a document, and no copy that a load made."""
    _, within = _workspace_of(place.key)
    return within.startswith(f"{DATASETS_FOLDER}/") and not within.startswith(f"{DATASETS_FOLDER}/{_LOADED_FOLDER}/")


def report_key(owner: str, sweep: str) -> str:
    return f"{REPORTS_PREFIX}/{owner}/{sweep}.json"


def owners_prefixes(owner: str) -> tuple[str, str]:
    """All workspaces of the owner lie below these, in the order of keys."""
    return f"{owner}/{CONVERSATIONS_SEGMENT}/", f"{owner}/{RUNS_SEGMENT}/"


# In no id.
JOINT = "#"


def partition(owner: str, scope_id: str) -> str:
    """Partition key of a session, a conversation or a run."""
    return f"{owner}{JOINT}{scope_id}"


def shared_partition(scope: SharedScope) -> str:
    """Partition key of the leases of a conversation or a run. Two '#': no session's, whatever its id."""
    return f"{scope.owner}#{_SCOPE_SEGMENTS[scope.kind]}#{scope.id}"


# In the partition of a conversation or a run: what is known of it as a whole.
SCOPE_SORT_KEY = "scope"
# In the partition of a session: it may write no more.
ENDED_SORT_KEY = "ended"
LEASE_SORT_PREFIX = "lease#"


def lease_sort_key(session_id: str) -> str:
    return f"{LEASE_SORT_PREFIX}{session_id}"


def request_sort_key(token: str) -> str:
    return f"request#{token}"


def handoff_sort_key(artifact_id: str) -> str:
    return f"handoff#{artifact_id}"
