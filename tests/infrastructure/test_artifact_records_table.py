"""The table of records: its keys, its indexes, its protections."""

from __future__ import annotations

import pytest

from session_datasets.domain import names
from tests.infrastructure.synthesized import InEnvironment, Json, Synthesized


@pytest.fixture
def table(everywhere: Synthesized) -> Json:
    properties: Json = everywhere.only("AWS::DynamoDB::Table")["Properties"]
    return properties


def key(partition: str, sort: str) -> list[Json]:
    return [{"AttributeName": partition, "KeyType": "HASH"}, {"AttributeName": sort, "KeyType": "RANGE"}]


def test_it_is_named_as_the_stack(table: Json) -> None:
    assert table["TableName"] == "session-datasets"


def test_its_key_is_owner_and_session_then_artifact(table: Json) -> None:
    assert table["KeySchema"] == key("owner_session", "artifact_id")


def test_every_key_is_text(table: Json) -> None:
    assert {each["AttributeName"]: each["AttributeType"] for each in table["AttributeDefinitions"]} == {
        "owner_session": "S",
        "artifact_id": "S",
        "owner_conversation": "S",
        "owner_run": "S",
    }


def test_conversations_and_runs_are_indexed_by_artifact_and_project_the_summary_alone(table: Json) -> None:
    summary = {"NonKeyAttributes": ["summary"], "ProjectionType": "INCLUDE"}
    indexes = {each["IndexName"]: (each["KeySchema"], each["Projection"]) for each in table["GlobalSecondaryIndexes"]}
    assert indexes == {
        names.CONVERSATION_INDEX: (key("owner_conversation", "artifact_id"), summary),
        names.RUN_INDEX: (key("owner_run", "artifact_id"), summary),
    }


def test_it_is_paid_on_demand(table: Json) -> None:
    assert table["BillingMode"] == "PAY_PER_REQUEST"


def test_it_recovers_to_a_point_in_time(table: Json) -> None:
    assert table["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}


def test_it_is_encrypted_with_a_key_the_account_can_see(table: Json) -> None:
    assert table["SSESpecification"] == {"SSEEnabled": True}


def test_no_record_expires_by_itself(table: Json) -> None:
    assert "TimeToLiveSpecification" not in table


@pytest.mark.parametrize(("environment", "protected"), [("local", False), ("sandbox", False), ("production", True)])
def test_only_in_production_it_refuses_to_be_deleted(
    synthesized: InEnvironment, environment: str, protected: bool
) -> None:
    table = synthesized(environment).only("AWS::DynamoDB::Table")
    assert table["Properties"]["DeletionProtectionEnabled"] is protected
