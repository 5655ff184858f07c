"""What the pinned MiniStack does otherwise than AWS, put right. Runs in its interpreter before it starts.

Each mend is tested against the running emulator; when a newer release needs one no longer, it goes.
"""

from __future__ import annotations

import batch_deletes
import leading_keys
import policy_variables
import ranges_of_versions
import secrets_in_templates
import streams_in_policies
import versions_in_events

MENDS = (
    batch_deletes,
    leading_keys,
    policy_variables,
    ranges_of_versions,
    secrets_in_templates,
    streams_in_policies,
    versions_in_events,
)
for each in MENDS:
    each.mend()
