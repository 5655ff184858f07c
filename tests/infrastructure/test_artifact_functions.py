"""One function for each verb, told what it needs and no more."""

from __future__ import annotations

import platform

import pytest

from session_datasets.client.lambda_client import ANSWER_SECONDS
from session_datasets.domain import names
from session_datasets.domain.limits import ENDING_SECONDS_MAX, MIB, TABLE_BYTES_MAX
from session_datasets.domain.names import ENDING_VERBS, EVENT_VERBS, NUMERIC_VERBS, TABULAR_VERBS, Verb
from tests.infrastructure.synthesized import InEnvironment, Synthesized

each_verb = pytest.mark.parametrize("verb", Verb)
in_accounts = pytest.mark.parametrize("environment", ["sandbox", "production"])


def test_every_verb_has_one_function_and_there_is_no_other(everywhere: Synthesized) -> None:
    functions = everywhere.resources("AWS::Lambda::Function").values()
    found = sorted(each["Properties"]["FunctionName"] for each in functions)
    assert found == [
        "session-datasets-audit-records",
        "session-datasets-describe-artifact",
        "session-datasets-end-conversation",
        "session-datasets-end-run",
        "session-datasets-list-artifacts",
        "session-datasets-load-artifact",
        "session-datasets-open-session",
        "session-datasets-prepare-upload",
        "session-datasets-profile-artifact",
        "session-datasets-publish-events",
        "session-datasets-read-columns",
        "session-datasets-read-rows",
        "session-datasets-register-artifact",
    ]


@each_verb
def test_the_handler_is_in_the_folder_of_the_verb(everywhere: Synthesized, verb: Verb) -> None:
    assert everywhere.function(verb)["Handler"] == f"lambdas.{verb}.handler.handler"


@each_verb
@in_accounts
def test_accounts_run_the_newest_python_on_arm(synthesized: InEnvironment, environment: str, verb: Verb) -> None:
    function = synthesized(environment).function(verb)
    assert (function["Runtime"], function["Architectures"]) == ("python3.14", ["arm64"])


@each_verb
def test_a_laptop_runs_its_own_processor(local: Synthesized, verb: Verb) -> None:
    own = "x86_64" if platform.machine() == "x86_64" else "arm64"
    assert local.function(verb)["Architectures"] == [own]


@each_verb
def test_callers_get_the_version_deployed_last(everywhere: Synthesized, verb: Verb) -> None:
    aliases = everywhere.resources("AWS::Lambda::Alias").values()
    (function,) = (
        name
        for name, each in everywhere.resources("AWS::Lambda::Function").items()
        if each["Properties"] is everywhere.function(verb)
    )
    (alias,) = (each["Properties"] for each in aliases if each["Properties"]["FunctionName"] == {"Ref": function})
    version = everywhere.template["Resources"][alias["FunctionVersion"]["Fn::GetAtt"][0]]
    assert alias["Name"] == names.LIVE_ALIAS
    assert version["Type"] == "AWS::Lambda::Version"
    assert version["Properties"]["FunctionName"] == {"Ref": function}


@each_verb
def test_production_restores_a_snapshot_where_the_scratch_disk_allows_it(production: Synthesized, verb: Verb) -> None:
    function = production.function(verb)
    snapshot = function.get("SnapStart", {}).get("ApplyOn")
    assert snapshot == (None if verb is Verb.PROFILE_ARTIFACT else "PublishedVersions")
    assert (function["EphemeralStorage"]["Size"] > 512) is (verb is Verb.PROFILE_ARTIFACT)


def test_profiling_has_room_for_three_forms_of_a_file_and_a_gibibyte_more(everywhere: Synthesized) -> None:
    scratch_mib = everywhere.function(Verb.PROFILE_ARTIFACT)["EphemeralStorage"]["Size"]
    assert scratch_mib == 10 * 1024
    assert scratch_mib * MIB - 3 * TABLE_BYTES_MAX >= 1024 * MIB


def test_registering_has_room_for_three_forms_of_a_file(everywhere: Synthesized) -> None:
    function = everywhere.function(Verb.REGISTER_ARTIFACT)
    at_once = int(function["Environment"]["Variables"][names.ENV_PROFILED_AT_ONCE_BYTES])
    assert 3 * at_once < function["EphemeralStorage"]["Size"] * MIB


@pytest.mark.parametrize("verb", [Verb.REGISTER_ARTIFACT, Verb.PROFILE_ARTIFACT])
def test_what_reads_whole_files_may_take_the_longest_that_lambda_gives(everywhere: Synthesized, verb: Verb) -> None:
    assert everywhere.function(verb)["Timeout"] == 900


@each_verb
def test_a_client_waits_longer_than_the_function_may_run(everywhere: Synthesized, verb: Verb) -> None:
    assert everywhere.function(verb)["Timeout"] < ANSWER_SECONDS


@pytest.mark.parametrize("verb", ENDING_VERBS)
def test_an_end_answers_long_before_its_function_times_out(everywhere: Synthesized, verb: Verb) -> None:
    assert everywhere.function(verb)["Timeout"] >= 3 * ENDING_SECONDS_MAX


@each_verb
@pytest.mark.parametrize("environment", ["local", "sandbox"])
def test_only_production_pays_for_snapshots(synthesized: InEnvironment, environment: str, verb: Verb) -> None:
    assert "SnapStart" not in synthesized(environment).function(verb)


def test_an_audit_may_go_on_by_itself_and_lambda_cuts_every_other_loop(everywhere: Synthesized) -> None:
    allowed = {verb for verb in Verb if everywhere.function(verb).get("RecursiveLoop") == "Allow"}
    assert allowed == {Verb.AUDIT_RECORDS}


@each_verb
def test_it_logs_json_into_a_group_of_its_own(everywhere: Synthesized, verb: Verb) -> None:
    function = everywhere.function(verb)
    assert function["LoggingConfig"]["LogFormat"] == "JSON"
    group = function["LoggingConfig"]["LogGroup"]["Ref"]
    assert everywhere.template["Resources"][group]["Type"] == "AWS::Logs::LogGroup"
    others = [everywhere.function(other)["LoggingConfig"]["LogGroup"]["Ref"] for other in Verb if other is not verb]
    assert group not in others


@pytest.mark.parametrize(("environment", "days"), [("local", 1), ("sandbox", 14), ("production", 90)])
def test_logs_are_kept_for_some_days_and_not_forever(synthesized: InEnvironment, environment: str, days: int) -> None:
    groups = synthesized(environment).resources("AWS::Logs::LogGroup").values()
    assert {each["Properties"]["RetentionInDays"] for each in groups} == {days}


@each_verb
@in_accounts
def test_it_is_traced_in_an_account(synthesized: InEnvironment, environment: str, verb: Verb) -> None:
    function = synthesized(environment).function(verb)
    assert function["TracingConfig"] == {"Mode": "Active"}
    assert "POWERTOOLS_TRACE_DISABLED" not in function["Environment"]["Variables"]


@each_verb
def test_it_is_not_traced_on_a_laptop(local: Synthesized, verb: Verb) -> None:
    function = local.function(verb)
    assert "TracingConfig" not in function
    assert function["Environment"]["Variables"]["POWERTOOLS_TRACE_DISABLED"] == "true"


@each_verb
def test_it_is_told_its_stack_its_key_and_its_name(everywhere: Synthesized, verb: Verb) -> None:
    (secret,) = everywhere.resources("AWS::SecretsManager::Secret")
    variables = everywhere.function(verb)["Environment"]["Variables"]
    assert variables[names.ENV_STACK] == "session-datasets"
    # What nobody calls, or the orchestrator alone may, checks no token.
    key = None if verb in (*EVENT_VERBS, *ENDING_VERBS) else {"Ref": secret}
    assert variables.get(names.ENV_SIGNING_KEY) == key
    assert variables["POWERTOOLS_SERVICE_NAME"] == verb.value
    assert variables["POWERTOOLS_METRICS_NAMESPACE"] == names.METRICS_NAMESPACE
    assert variables["POWERTOOLS_LOG_LEVEL"] == "INFO"


@pytest.mark.parametrize(
    ("verb", "stores"),
    [
        (Verb.OPEN_SESSION, {names.ENV_TABLE}),
        (Verb.END_CONVERSATION, {names.ENV_BUCKET, names.ENV_TABLE}),
        (Verb.END_RUN, {names.ENV_BUCKET, names.ENV_TABLE}),
        (Verb.PREPARE_UPLOAD, {names.ENV_BUCKET, names.ENV_TABLE}),
        (Verb.REGISTER_ARTIFACT, {names.ENV_BUCKET, names.ENV_TABLE}),
        (Verb.LIST_ARTIFACTS, {names.ENV_TABLE}),
        (Verb.DESCRIBE_ARTIFACT, {names.ENV_BUCKET, names.ENV_TABLE}),
        (Verb.LOAD_ARTIFACT, {names.ENV_BUCKET, names.ENV_TABLE}),
        (Verb.READ_ROWS, {names.ENV_BUCKET, names.ENV_TABLE}),
        (Verb.READ_COLUMNS, {names.ENV_BUCKET, names.ENV_TABLE}),
        (Verb.PROFILE_ARTIFACT, {names.ENV_BUCKET, names.ENV_TABLE}),
        (Verb.PUBLISH_EVENTS, set()),
        (Verb.AUDIT_RECORDS, {names.ENV_BUCKET, names.ENV_TABLE}),
    ],
)
def test_it_is_told_only_the_stores_it_works_on(everywhere: Synthesized, verb: Verb, stores: set[str]) -> None:
    variables = everywhere.function(verb)["Environment"]["Variables"]
    assert variables.keys() & {names.ENV_BUCKET, names.ENV_TABLE} == stores


@in_accounts
def test_there_are_three_assets_and_a_page_is_read_without_numpy(synthesized: InEnvironment, environment: str) -> None:
    stack = synthesized(environment)
    numeric = {stack.function(verb)["Code"]["S3Key"] for verb in NUMERIC_VERBS}
    tabular = {stack.function(verb)["Code"]["S3Key"] for verb in set(TABULAR_VERBS) - set(NUMERIC_VERBS)}
    light = {stack.function(verb)["Code"]["S3Key"] for verb in Verb if verb not in TABULAR_VERBS}
    assert (len(numeric), len(tabular), len(light), len(numeric | tabular | light)) == (1, 1, 1, 3)
    assert Verb.READ_ROWS not in NUMERIC_VERBS


def test_a_laptop_deploys_one_asset_of_code_for_all(local: Synthesized) -> None:
    (key,) = {local.function(verb)["Code"]["S3Key"] for verb in Verb}
    asset = local.folder / f"asset.{key.removesuffix('.zip')}"
    assert sorted(each.name for each in asset.iterdir()) == ["lambdas", "session_datasets"]


def test_no_layer_is_used(everywhere: Synthesized) -> None:
    assert everywhere.resources("AWS::Lambda::LayerVersion") == {}
    assert all("Layers" not in everywhere.function(verb) for verb in Verb)


@each_verb
def test_what_reads_whole_columns_gives_memory_back_that_arrow_freed(everywhere: Synthesized, verb: Verb) -> None:
    pool = everywhere.function(verb)["Environment"]["Variables"].get("ARROW_DEFAULT_MEMORY_POOL")
    assert pool == ("system" if verb in NUMERIC_VERBS else None)
