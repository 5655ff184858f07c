"""Makes the process executor known under LAMBDA_RUNTIME_EXECUTOR=process."""

from __future__ import annotations

from localstack.services.lambda_.invocation.plugins import RuntimeExecutorPlugin


class ProcessExecutorPlugin(RuntimeExecutorPlugin):
    """Loaded by LocalStack's plugin manager by its entry point."""

    name = "process"

    def load(self, *_: object, **__: object) -> type:
        """The executor class; imported late because it pulls in the whole Lambda service."""
        from localstack_host.executor import ProcessExecutor

        return ProcessExecutor
