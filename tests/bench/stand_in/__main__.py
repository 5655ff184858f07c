"""``python -m tests.bench.stand_in ROOT``: serves ROOT until standard input ends.

The first line on standard output is the port. A line on standard input is a command, answered by one line of JSON:
``{"pace": {…}}`` sets the pace, ``{}`` takes the counts. Commands are no requests: nothing counts or delays them.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from threading import Thread

from tests.bench.stand_in.pace import Pace
from tests.bench.stand_in.server import StandInServer


def main() -> None:
    server = StandInServer(Path(sys.argv[1]))
    Thread(target=server.serve_forever, daemon=True).start()
    _say(server.server_port)
    for line in sys.stdin:
        command = json.loads(line)
        if "pace" in command:
            server.clock.pace = Pace(**command["pace"])
        _say(server.tally.taken())
    server.objects.close()
    # Threads may be in the middle of answers that nobody waits for.
    os._exit(0)


def _say(what: object) -> None:
    print(json.dumps(what), flush=True)


if __name__ == "__main__":
    main()
