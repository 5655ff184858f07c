"""What the pinned LocalStack does otherwise than its surroundings need, put right when it starts."""

from __future__ import annotations

import tempfile
from typing import Any

from localstack.runtime import hooks
from localstack.services.cloudformation.resource_provider import OperationStatus, ProgressEvent


@hooks.on_infra_start()
def mend_alias_updates() -> None:
    """A changed alias is created a second time, which fails: so no new version could ever go live."""
    from localstack.services.lambda_.resource_providers.lambda_alias import LambdaAliasProvider

    LambdaAliasProvider.update = _update_alias


@hooks.on_infra_start()
def mend_place_of_objects() -> None:
    """Objects lie in one fixed directory of the machine: two emulators would share it, and none clears it."""
    from localstack.services.s3 import provider

    provider.DEFAULT_S3_TMP_DIR = f"{tempfile.gettempdir()}/objects"


def _update_alias(_: object, request: Any) -> ProgressEvent:
    """Point the alias at the version the template names now."""
    model = request.desired_state
    changeable = ("FunctionName", "Name", "FunctionVersion", "Description", "RoutingConfig")
    answer = request.aws_client_factory.lambda_.update_alias(
        **{name: model[name] for name in changeable if name in model}
    )
    model["Id"] = answer["AliasArn"]
    return ProgressEvent(status=OperationStatus.SUCCESS, resource_model=model)
