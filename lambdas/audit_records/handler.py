"""The door of audit_records, which opens to messages of its queue."""

from __future__ import annotations

from session_datasets.domain.names import Verb
from session_datasets.runtime.audit_door import AuditDoor
from session_datasets.runtime.audit_wiring import auditing

handler = AuditDoor(Verb.AUDIT_RECORDS, wire=auditing)
