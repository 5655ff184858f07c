"""A state machine of two nodes whose state holds a reference instead of a table."""

from __future__ import annotations

import json
import sys

from deploying import deployed, executed

# What a state machine takes as input, output or result of a state, in bytes.
STATE_BYTES_MAX = 262_144
# How every token begins: it is a JWT.
TOKEN = "eyJ"

with deployed() as machine:
    execution, history = executed(machine)

states = [event["stateExitedEventDetails"]["output"] for event in history if event["type"] == "TaskStateExited"]
print(f"the execution has {execution['status'].lower()}; its output: {execution.get('output')}")
for state in states:
    print(f"a state of {len(state.encode())} bytes, of {STATE_BYTES_MAX:,} that it may have: {state}")
print(f"tokens in the history of the execution: {json.dumps(history, default=str).count(TOKEN)}")
if execution["status"] != "SUCCEEDED":
    sys.exit(f"{execution.get('error')}: {execution.get('cause')}")
