"""What sandboxes and their orchestrator may call."""

from __future__ import annotations

import pytest

from session_datasets.domain.names import EVENT_VERBS, Verb
from tests.infrastructure.synthesized import Synthesized

ORCHESTRATORS = (Verb.OPEN_SESSION, Verb.END_CONVERSATION, Verb.END_RUN)
NODES = [verb for verb in Verb if verb not in (*ORCHESTRATORS, *EVENT_VERBS)]


def callables(stack: Synthesized, verb: Verb) -> set[str]:
    """A verb's function and its alias, as a policy names them."""
    properties = stack.function(verb)
    (function,) = (
        name for name, each in stack.resources("AWS::Lambda::Function").items() if each["Properties"] is properties
    )
    (alias,) = (
        name
        for name, each in stack.resources("AWS::Lambda::Alias").items()
        if each["Properties"]["FunctionName"] == {"Ref": function}
    )
    return {f"{function}.Arn", alias}


def allowed(stack: Synthesized, output: str) -> set[str]:
    """What the policy behind an output of the stack lets its holder invoke."""
    policy = stack.template["Outputs"][output]["Value"]["Ref"]
    document = stack.template["Resources"][policy]["Properties"]["PolicyDocument"]
    (statement,) = document["Statement"]
    assert (statement["Effect"], statement["Action"]) == ("Allow", "lambda:InvokeFunction")
    return {stack.flat(arn) for arn in statement["Resource"]}


def test_a_node_calls_every_verb_of_a_session(everywhere: Synthesized) -> None:
    wanted = set().union(*(callables(everywhere, verb) for verb in NODES))
    assert allowed(everywhere, "NodePolicyArn") == wanted


def test_the_orchestrator_opens_and_ends_and_calls_nothing_else(everywhere: Synthesized) -> None:
    wanted = set().union(*(callables(everywhere, verb) for verb in ORCHESTRATORS))
    assert allowed(everywhere, "OrchestratorPolicyArn") == wanted


@pytest.mark.parametrize("output", ["NodePolicyArn", "OrchestratorPolicyArn"])
def test_nobody_outside_calls_what_works_off_queues_and_streams(everywhere: Synthesized, output: str) -> None:
    inside = set().union(*(callables(everywhere, verb) for verb in EVENT_VERBS))
    assert allowed(everywhere, output).isdisjoint(inside)


@pytest.mark.parametrize(
    ("output", "description"),
    [
        ("NodePolicyArn", "Call the verbs of a session"),
        ("OrchestratorPolicyArn", "Open sessions, and nothing in them"),
    ],
)
def test_the_description_is_frozen(everywhere: Synthesized, output: str, description: str) -> None:
    # Another one would replace the policy, which fails as long as the old one is attached.
    policy = everywhere.template["Outputs"][output]["Value"]["Ref"]
    assert everywhere.template["Resources"][policy]["Properties"]["Description"] == description


@pytest.mark.parametrize("kind", ["Users", "Roles", "Groups"])
def test_the_policies_are_attached_to_nobody(everywhere: Synthesized, kind: str) -> None:
    policies = everywhere.resources("AWS::IAM::ManagedPolicy").values()
    assert [each for each in policies if each["Properties"].get(kind)] == []
