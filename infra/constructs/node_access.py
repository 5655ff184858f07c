"""Who outside the stack may call which verbs: two policies to attach to roles that are not ours."""

from __future__ import annotations

from collections.abc import Iterable

from aws_cdk import aws_iam as iam
from constructs import Construct

from infra.constructs.artifact_function import ArtifactFunction
from session_datasets.domain.names import NODE_VERBS, ORCHESTRATOR_VERBS, Verb

# IAM never changes a description: with another one the policy would be replaced, which fails as long as the
# old one is attached anywhere. So the orchestrator's says nothing of the ends that came later.
NODE_DESCRIPTION = "Call the verbs of a session"
ORCHESTRATOR_DESCRIPTION = "Open sessions, and nothing in them"


class NodeAccess(Construct):
    """``node`` is for the sandboxes that workflow nodes run in, ``orchestrator`` for what starts them.

    A node that could open sessions could be anyone, and one that could end runs could remove any; so the policies have
    no verb in common.
    """

    def __init__(self, scope: Construct, construct_id: str, *, functions: Iterable[ArtifactFunction]) -> None:
        super().__init__(scope, construct_id)
        by_verb = {function.verb: function for function in functions}
        self.node_policy = self._may_invoke("Node", NODE_DESCRIPTION, NODE_VERBS, by_verb)
        self.orchestrator_policy = self._may_invoke(
            "Orchestrator", ORCHESTRATOR_DESCRIPTION, ORCHESTRATOR_VERBS, by_verb
        )

    def _may_invoke(
        self, name: str, description: str, verbs: Iterable[Verb], functions: dict[Verb, ArtifactFunction]
    ) -> iam.ManagedPolicy:
        called = [functions[verb] for verb in verbs]
        return iam.ManagedPolicy(
            self,
            name,
            description=description,
            statements=[
                iam.PolicyStatement(
                    sid="Invoke",
                    actions=["lambda:InvokeFunction"],
                    resources=[arn for each in called for arn in _callable_arns(each)],
                )
            ],
        )


def _callable_arns(each: ArtifactFunction) -> tuple[str, str]:
    return each.function.function_arn, each.alias.function_arn
