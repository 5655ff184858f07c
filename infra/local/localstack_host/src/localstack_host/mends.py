"""What the pinned LocalStack lacks of CloudFormation, added when it starts."""

from __future__ import annotations

from typing import Any

from localstack.runtime import hooks
from localstack.services.cloudformation.resource_provider import OperationStatus, ProgressEvent


@hooks.on_infra_start()
def mend_alias_updates() -> None:
    """A changed alias is created a second time, which fails: so no new version could ever go live."""
    from localstack.services.lambda_.resource_providers.lambda_alias import LambdaAliasProvider

    LambdaAliasProvider.update = _update_alias


def _update_alias(_: object, request: Any) -> ProgressEvent:
    """Point the alias at the version the template names now."""
    model = request.desired_state
    changeable = ("FunctionName", "Name", "FunctionVersion", "Description", "RoutingConfig")
    answer = request.aws_client_factory.lambda_.update_alias(
        **{name: model[name] for name in changeable if name in model}
    )
    model["Id"] = answer["AliasArn"]
    return ProgressEvent(status=OperationStatus.SUCCESS, resource_model=model)
