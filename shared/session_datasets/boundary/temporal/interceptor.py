"""Converts what a workflow continues with while its own code still runs, so that what cannot be sent fails there.

The SDK converts it after the workflow's function has ended, where an error reaches nobody.
"""

from __future__ import annotations

from typing import NoReturn

from temporalio import workflow
from temporalio.worker import (
    ContinueAsNewInput,
    Interceptor,
    WorkflowInboundInterceptor,
    WorkflowInterceptorClassInput,
    WorkflowOutboundInterceptor,
)


class _Outbound(WorkflowOutboundInterceptor):
    def continue_as_new(self, input: ContinueAsNewInput) -> NoReturn:
        converter = workflow.payload_converter()
        converter.to_payloads([*input.args, *(input.memo or {}).values()])
        self.next.continue_as_new(input)


class _Inbound(WorkflowInboundInterceptor):
    def init(self, outbound: WorkflowOutboundInterceptor) -> None:
        super().init(_Outbound(outbound))


class ContinuingInterceptor(Interceptor):
    def workflow_interceptor_class(self, input: WorkflowInterceptorClassInput) -> type[WorkflowInboundInterceptor]:
        return _Inbound
