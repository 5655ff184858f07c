"""The role that a function puts on to work with a caller's data: every grant on data, narrowed to the caller."""

from __future__ import annotations

from aws_cdk import aws_iam as iam
from constructs import Construct

from infra.constructs.function_role import FunctionRole
from infra.constructs.grant_statements import Stores, acknowledge_prefixes, statements
from infra.grants import Resource, grants_of_caller, grants_of_function
from session_datasets.domain.names import CALLER_TAGS, TAG_OWNER, TAG_SESSION, Verb

# Without a tag there is nothing to narrow to, and with another one there might be one day.
_TAGGED = {
    "Null": {f"aws:RequestTag/{tag}": "false" for tag in (TAG_OWNER, TAG_SESSION)},
    "ForAllValues:StringEquals": {"aws:TagKeys": list(CALLER_TAGS)},
}


class CallerRole(iam.Role):
    """Trusts its own verb's function, and ``operator`` (an ARN) when one is named, both only with a caller's tags.

    ``of_function`` is the statement that lets the function put it on.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        verb: Verb,
        stores: Stores,
        function_role: FunctionRole,
        operator: str | None,
    ) -> None:
        grants = grants_of_caller(verb)
        trusted: list[iam.IPrincipal] = [iam.ArnPrincipal(function_role.role_arn)]
        if operator is not None:
            trusted.append(iam.ArnPrincipal(operator))
        super().__init__(
            scope,
            construct_id,
            assumed_by=_only_tagged(trusted),
            description=f"What {verb} may do in the name of one caller",
            inline_policies={"grants": iam.PolicyDocument(statements=statements(grants, stores))},
        )
        acknowledge_prefixes(self, grants, stores.bucket)
        self.of_function = iam.Policy(
            self,
            "OfFunction",
            roles=[function_role],
            statements=statements(
                (grant for grant in grants_of_function(verb) if grant.resource is Resource.CALLER_ROLE),
                stores,
                self.role_arn,
            ),
        )


def _only_tagged(trusted: list[iam.IPrincipal]) -> iam.IPrincipal:
    principals = [iam.SessionTagsPrincipal(iam.PrincipalWithConditions(each, _TAGGED)) for each in trusted]
    return principals[0] if len(principals) == 1 else iam.CompositePrincipal(*principals)
