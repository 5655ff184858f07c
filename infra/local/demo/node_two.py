"""Node two's process: ``python -m infra.local.demo.node_two REFERENCE``. Interrupted, it ends without a word.

Ctrl-C reaches both nodes, and the first one has the say. Here nothing else is imported before it can be heeded.
"""

from __future__ import annotations

import signal
import sys

INTERRUPTED = 130


def main(reference: str) -> int:
    """The exit status: 0, or 130 when it was interrupted at whatever point."""
    try:
        # They were held back while the interpreter started.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        from infra.local.demo import second_node

        return second_node.main(reference)
    except KeyboardInterrupt:
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
