"""Names of what the functions count of every verb, for whoever counts and whoever watches.

Each is counted with two dimensions, verb and stack, and with no other: an owner or a session among them would be a
metric of its own for each, and a bill.
"""

from __future__ import annotations

from collections.abc import Mapping

from session_datasets.domain.errors import ProblemCode

CALLS = "calls"
COLD_STARTS = "cold_starts"
PROBLEMS = "problems"  # refusals of any kind
CLAIMS = "claims"  # the body named another owner, session, conversation or run than its token's: somebody tries
DENIED = "denied"  # AWS refused what a function asked for: a grant is missing, or it was not its caller's

# Families of refusals. Of an id that is not to be reached nobody can tell whether it is another owner's or none at all,
# and so its count holds both.
NOT_FOUND = "not_found"
MISSING_FILES = "missing_files"
TURNED_AWAY = "turned_away"
BUSY = "busy"
FAILURES = "failures"
INVALID = "invalid"

# Of publish_events: writes of records, conversations and runs that it told, or that there was nothing to tell of.
CHANGES_TOLD = "changes_told"
# Of audit_records, beside the records that it marks, which count as MISSING_FILES. ``unregistered`` have no record.
RESTORED_FILES = "restored_files"
AUDITED_RECORDS = "audited_records"
AUDITED_FILES = "audited_files"
UNREGISTERED_FILES = "unregistered_files"

_FAMILIES: Mapping[ProblemCode, str] = {
    ProblemCode.NOT_FOUND: NOT_FOUND,
    ProblemCode.FILE_MISSING: MISSING_FILES,
    ProblemCode.FILE_CHANGED: MISSING_FILES,
    ProblemCode.TOKEN_MISSING: TURNED_AWAY,
    ProblemCode.TOKEN_EXPIRED: TURNED_AWAY,
    ProblemCode.TOKEN_INVALID: TURNED_AWAY,
    ProblemCode.VERB_NOT_ALLOWED: TURNED_AWAY,
    ProblemCode.UNAVAILABLE: BUSY,
    ProblemCode.INTERNAL: FAILURES,
}
REFUSALS = (NOT_FOUND, MISSING_FILES, TURNED_AWAY, BUSY, FAILURES, INVALID)


def family_of(code: ProblemCode) -> str:
    """The one family that a refusal counts in."""
    return _FAMILIES.get(code, INVALID)
