"""A secret that a template refers to is its name: it is its ARN, as in CloudFormation, and so a policy's resource."""

from __future__ import annotations

from typing import Any

from ministack.services import secretsmanager
from ministack.services.cloudformation import provisioners


def mend() -> None:
    handlers = provisioners._RESOURCE_HANDLERS["AWS::SecretsManager::Secret"]
    create, update, delete = handlers["create"], handlers["update"], handlers["delete"]

    def created(logical_id: str, properties: Any, stack: str) -> Any:
        return _by_arn(create(logical_id, properties, stack))

    def updated(physical_id: str, *arguments: Any, **more: Any) -> Any:
        return _by_arn(update(_name(physical_id), *arguments, **more))

    def deleted(physical_id: str, properties: Any) -> Any:
        return delete(_name(physical_id), properties)

    handlers |= {"create": created, "update": updated, "delete": deleted}


def _by_arn(made: Any) -> Any:
    _, attributes = made
    return attributes["Arn"], attributes


def _name(physical_id: str) -> str:
    name, _ = secretsmanager._resolve(physical_id)
    return name or physical_id
