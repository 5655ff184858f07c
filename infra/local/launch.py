"""Start a Python module as the main program of this process: what runs inside an emulator's own interpreter.

``python launch.py MODULE [--mends FILE] [--functions-python PATH] [--while-stdin-open]``; it needs the standard
library only.
"""

from __future__ import annotations

import argparse
import os
import runpy
import signal
import sys
import threading
import time

# Between the polite and the final signal, so that an emulator can write down its state.
GRACE_SECONDS = 15


def main() -> None:
    """Take the launcher's own arguments off the command line and become the module."""
    parser = argparse.ArgumentParser()
    parser.add_argument("module")
    parser.add_argument("--mends")
    parser.add_argument("--functions-python")
    parser.add_argument("--while-stdin-open", action="store_true")
    options = parser.parse_args()
    if options.while_stdin_open:
        threading.Thread(target=_end_with_parent, daemon=True).start()
    if options.functions_python:
        # MiniStack starts functions with sys.executable: its own, whose packages are not the functions'.
        sys.executable = options.functions_python
    if options.mends:
        runpy.run_path(options.mends)
    sys.argv = [options.module]
    runpy.run_module(options.module, run_name="__main__", alter_sys=True)


def _end_with_parent() -> None:
    """The parent holds the other end of standard input: when it dies, however it dies, so does this group."""
    sys.stdin.buffer.read()
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE_SECONDS)
    os.killpg(os.getpgrp(), signal.SIGKILL)


if __name__ == "__main__":
    main()
