"""LocalStack's runtime executor that runs a function in a child process instead of a container.

LocalStack makes one executor per execution environment and never invokes one twice at the same time;
parallel invocations get executors, and so processes, of their own. There is no isolation and no memory limit.
"""

from __future__ import annotations

import json
import os
import queue
import time
from pathlib import Path

from localstack import config
from localstack.services.lambda_.invocation.executor_endpoint import StatusErrorException
from localstack.services.lambda_.invocation.lambda_models import FunctionVersion, InvocationResult
from localstack.services.lambda_.invocation.runtime_executor import RuntimeExecutor

from localstack_host.events import Answered, Exited, InitFailed, Invocation, Ready
from localstack_host.function_process import FunctionProcess

# AWS allows 10 seconds; a laptop that starts several functions at once may need longer.
INIT_SECONDS = 60.0
# AWS: "Invocation payload per request and response: 6 MB", measured as this many bytes.
RESPONSE_LIMIT_BYTES = 6_291_556
# How long the reader of the output gets to see what was printed just before the answer.
LOG_SETTLE_SECONDS = 0.005


class ProcessExecutor(RuntimeExecutor):
    """One execution environment."""

    def __init__(self, id: str, function_version: FunctionVersion) -> None:
        super().__init__(id=id, function_version=function_version)
        self._variables: dict[str, str] = {}
        self._process: FunctionProcess | None = None
        self._last_log = ""

    def start(self, env_vars: dict[str, str]) -> None:
        """Start the process and wait until its handler is imported; raises StatusErrorException."""
        self._variables = env_vars
        self._process = self._started()

    def invoke(self, payload: dict[str, str]) -> InvocationResult:
        """Run the handler once. A time-out or an exit costs the process; the next invocation gets a new one."""
        if self._process is None:
            self._process = self._started()
        process, began = self._process, time.monotonic()
        request_id = payload["invoke-id"]
        process.take_log()
        process.offer(self._invocation(payload))
        body, failed = self._answer(process, request_id, began)
        if self._process is not None:
            time.sleep(LOG_SETTLE_SECONDS)
        self._last_log = _framed(request_id, process.take_log(), time.monotonic() - began)
        return InvocationResult(request_id, body, is_error=failed, logs=self._last_log)

    def stop(self) -> None:
        """End the process, also in the middle of an invocation."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()

    def get_logs(self) -> str:
        """What the last invocation printed."""
        return self._last_log

    def get_address(self) -> str:
        """Where this environment is reached from LocalStack."""
        return "127.0.0.1"

    def get_endpoint_from_executor(self) -> str:
        """Where LocalStack is reached from this environment."""
        return "127.0.0.1"

    def get_runtime_endpoint(self) -> str:
        """Part of LocalStack's own protocol with its containers; named in the environment, never called."""
        return f"http://127.0.0.1:{config.GATEWAY_LISTEN[0].port}/_localstack_lambda/{self.id}"

    @classmethod
    def prepare_version(cls, function_version: FunctionVersion) -> None:
        """Unpack the function's code."""
        if function_version.config.code:
            function_version.config.code.prepare_for_execution()

    @classmethod
    def cleanup_version(cls, function_version: FunctionVersion) -> None:
        """Nothing to do: LocalStack removes the code with the function."""

    def _started(self) -> FunctionProcess:
        settings = self.function_version.config
        code = Path(settings.code.get_unzipped_code_location())
        process = FunctionProcess(os.environ["LAMBDA_PROCESS_PYTHON"], settings.handler, code, self._variables)
        try:
            event = process.events.get(timeout=INIT_SECONDS)
        except queue.Empty:
            error = _error("Sandbox.Timedout", f"The function was not ready after {INIT_SECONDS:.0f} seconds")
        else:
            if isinstance(event, Ready):
                return process
            log = process.take_log()
            error = event.error if isinstance(event, InitFailed) else _error("Runtime.ExitError", log[-4000:])
        process.kill()
        raise StatusErrorException("The function could not be started", payload=error)

    def _invocation(self, payload: dict[str, str]) -> Invocation:
        return Invocation(
            request_id=payload["invoke-id"],
            function_arn=payload["invoked-function-arn"],
            trace_id=payload["trace-id"],
            payload=payload["payload"].encode(),
            deadline=time.time() + self.function_version.config.timeout,
        )

    def _answer(self, process: FunctionProcess, request_id: str, began: float) -> tuple[bytes, bool]:
        """The answer's JSON and whether it is an error."""
        timeout = self.function_version.config.timeout
        while True:
            try:
                event = process.events.get(timeout=max(0.0, began + timeout - time.monotonic()))
            except queue.Empty:
                self.stop()
                text = f"RequestId: {request_id} Error: Task timed out after {timeout:.2f} seconds"
                return _error("Sandbox.Timedout", text), True
            match event:
                case Answered(request_id=answered, body=body, failed=failed) if answered == request_id:
                    return _within_limit(body, failed)
                case Exited(status=status):
                    self.stop()
                    text = f"RequestId: {request_id} Error: Runtime exited with error: exit status {status}"
                    return _error("Runtime.ExitError", text), True


def _within_limit(body: bytes, failed: bool) -> tuple[bytes, bool]:
    """The answer, or the error AWS puts in the place of one that is too large."""
    if len(body) <= RESPONSE_LIMIT_BYTES:
        return body, failed
    text = f"Response payload size exceeded maximum allowed payload size ({RESPONSE_LIMIT_BYTES} bytes)."
    return _error("Function.ResponseSizeTooLarge", text), True


def _error(kind: str, message: str) -> bytes:
    return json.dumps({"errorType": kind, "errorMessage": message}).encode()


def _framed(request_id: str, printed: str, seconds: float) -> str:
    return (
        f"START RequestId: {request_id}\n{printed}END RequestId: {request_id}\n"
        f"REPORT RequestId: {request_id}\tDuration: {seconds * 1000:.2f} ms\n"
    )
