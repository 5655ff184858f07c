"""The CDK app: ``cdk deploy -c env=local|sandbox|production -c stack=NAME [-c operator=ARN]``."""

from __future__ import annotations

from typing import Any

from aws_cdk import App, Validations
from cdk_nag import AwsSolutionsChecks

from infra.environments import environment_named
from infra.session_datasets_stack import SessionDatasetsStack
from session_datasets.domain.names import DEFAULT_STACK


def create_app(**app_options: Any) -> App:
    """One stack, in the environment its context asks for, checked by the AwsSolutions rules."""
    app = App(**app_options)
    name = app.node.try_get_context("stack") or DEFAULT_STACK
    environment = environment_named(app.node.try_get_context("env") or "sandbox")
    operator = app.node.try_get_context("operator") or environment.operator
    SessionDatasetsStack(app, name, environment=environment, operator=operator)
    Validations.of(app).add_plugins(AwsSolutionsChecks(app))
    return app


if __name__ == "__main__":
    create_app().synth()
