"""What the pinned MiniStack does otherwise than AWS, put right. Runs in its interpreter before it starts.

Each mend is tested against the running emulator; when a newer release needs one no longer, it goes.
"""

from __future__ import annotations

import leading_keys
import policy_variables
import ranges_of_versions

for each in (ranges_of_versions, policy_variables, leading_keys):
    each.mend()
