"""What the plugin sets on a client, a worker and a replayer, and what it leaves alone."""

from __future__ import annotations

import dataclasses
import pickle
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from temporalio.api.common.v1 import Payload
from temporalio.api.failure.v1 import Failure
from temporalio.converter import (
    DataConverter,
    DefaultFailureConverter,
    DefaultPayloadConverter,
    ExternalStorage,
    StorageDriverSelectContext,
)
from temporalio.exceptions import ApplicationError
from temporalio.worker import UnsandboxedWorkflowRunner
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner

from session_datasets.boundary.payloads import SetFieldsPayloadConverter
from session_datasets.boundary.references import FolderStore
from session_datasets.boundary.temporal import SessionDatasetsPlugin
from session_datasets.boundary.temporal.driver import ArtifactStorageDriver
from session_datasets.boundary.temporal.failures import PayloadFailureConverter
from session_datasets.client.errors import ConfigurationError


@pytest.fixture
def plugin(tmp_path: Path) -> SessionDatasetsPlugin:
    return SessionDatasetsPlugin(FolderStore(tmp_path), threshold_bytes=2_000, passthrough_modules=["mine"])


def converter_of(plugin: SessionDatasetsPlugin, given: DataConverter | None) -> DataConverter:
    config: Any = {"data_converter": given}
    return plugin.configure_client(config)["data_converter"]


def chosen(converter: DataConverter, payload: Payload) -> bool:
    assert converter.external_storage is not None
    return converter.external_storage._select_driver(StorageDriverSelectContext(), payload) is not None


@pytest.mark.parametrize(("size", "by_reference"), [(1_999, False), (2_000, True)])
def test_data_from_the_threshold_on_crosses_by_reference(
    plugin: SessionDatasetsPlugin, size: int, by_reference: bool
) -> None:
    assert chosen(converter_of(plugin, DataConverter.default), Payload(data=b"x" * size)) is by_reference


def test_metadata_does_not_count_for_the_threshold(plugin: SessionDatasetsPlugin) -> None:
    payload = Payload(metadata={"note": b"x" * 5_000}, data=b"")
    assert not chosen(converter_of(plugin, DataConverter.default), payload)


@pytest.mark.parametrize("given", [None, "x", object()], ids=["none", "text", "object"])
def test_what_is_no_store_is_refused_when_the_plugin_is_made(given: Any) -> None:
    with pytest.raises(TypeError, match=r"is no store of references\. Pass a Workspace"):
        SessionDatasetsPlugin(given)


def test_a_function_that_wants_arguments_is_no_maker_of_stores() -> None:
    given: Any = FolderStore
    with pytest.raises(
        TypeError, match="SessionDatasetsPlugin was given FolderStore, which is no store and makes none"
    ):
        SessionDatasetsPlugin(given)


def test_a_threshold_below_a_reference_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="threshold_bytes is 100"):
        SessionDatasetsPlugin(FolderStore(tmp_path), threshold_bytes=100)


def test_payload_and_failure_converter_are_ours_where_they_were_the_default(plugin: SessionDatasetsPlugin) -> None:
    converter = converter_of(plugin, DataConverter.default)
    assert issubclass(converter.payload_converter_class, SetFieldsPayloadConverter)
    assert converter.failure_converter_class is PayloadFailureConverter


class Failures(DefaultFailureConverter):
    pass


def test_a_failure_converter_of_the_programs_own_is_kept(plugin: SessionDatasetsPlugin) -> None:
    theirs = DataConverter(failure_converter_class=Failures)
    assert converter_of(plugin, theirs).failure_converter_class is Failures


class Own(DefaultPayloadConverter):
    pass


def test_a_payload_converter_of_the_programs_own_is_refused(plugin: SessionDatasetsPlugin) -> None:
    with pytest.raises(ConfigurationError, match="was not replaced"):
        converter_of(plugin, DataConverter(payload_converter_class=Own))


def test_an_external_storage_of_the_programs_own_is_refused_unless_it_has_our_driver(
    plugin: SessionDatasetsPlugin, tmp_path: Path
) -> None:
    other = ArtifactStorageDriver(lambda: FolderStore(tmp_path), name="theirs")
    with pytest.raises(ConfigurationError, match="external storage of its own, which was not replaced"):
        converter_of(plugin, DataConverter(external_storage=ExternalStorage(drivers=[other])))
    both = ExternalStorage(drivers=[other, plugin.driver], driver_selector=lambda *_: plugin.driver)
    assert converter_of(plugin, DataConverter(external_storage=both)).external_storage is both


def test_set_twice_it_is_set_once(plugin: SessionDatasetsPlugin) -> None:
    once = converter_of(plugin, DataConverter.default)
    assert converter_of(plugin, once) is once


def test_a_replayer_gets_the_same_converter_as_a_client(plugin: SessionDatasetsPlugin) -> None:
    config: Any = {"data_converter": DataConverter.default, "workflow_runner": SandboxedWorkflowRunner()}
    replaying = plugin.configure_replayer(config)["data_converter"]
    of_client = converter_of(plugin, DataConverter.default)
    assert replaying.external_storage is of_client.external_storage
    assert replaying.payload_converter_class is of_client.payload_converter_class
    assert replaying.failure_converter_class is of_client.failure_converter_class


def test_the_sandbox_takes_this_package_and_the_users_modules_from_the_worker(plugin: SessionDatasetsPlugin) -> None:
    config: Any = {
        "workflow_runner": SandboxedWorkflowRunner(),
        "client": SimpleNamespace(data_converter=converter_of(plugin, None), config=lambda **_: {"interceptors": []}),
    }
    runner = plugin.configure_worker(config)["workflow_runner"]
    assert isinstance(runner, SandboxedWorkflowRunner)
    assert {"session_datasets", "langchain_core", "mine"} <= runner.restrictions.passthrough_modules
    # What a workflow may not call is as before.
    assert runner.restrictions.invalid_module_members == SandboxedWorkflowRunner().restrictions.invalid_module_members


def test_another_runner_is_left_alone(plugin: SessionDatasetsPlugin) -> None:
    runner = UnsandboxedWorkflowRunner()
    config: Any = {
        "workflow_runner": runner,
        "client": SimpleNamespace(data_converter=converter_of(plugin, None), config=lambda **_: {"interceptors": []}),
    }
    assert plugin.configure_worker(config)["workflow_runner"] is runner


def test_a_function_is_asked_for_the_store_at_every_payload(tmp_path: Path) -> None:
    import asyncio

    asked = []

    def store() -> FolderStore:
        asked.append(1)
        return FolderStore(tmp_path)

    converter = converter_of(SessionDatasetsPlugin(store), DataConverter.default)

    async def there_and_back() -> list[Any]:
        return await converter.decode(await converter.encode(["x" * 100_000, "y" * 100_000, "z"]))

    assert asyncio.run(there_and_back()) == ["x" * 100_000, "y" * 100_000, "z"]
    assert len(asked) == 4


def test_a_codec_of_the_programs_own_works_below_the_reference(tmp_path: Path) -> None:
    import asyncio

    from temporalio.converter import PayloadCodec

    class Reversing(PayloadCodec):
        async def encode(self, payloads: Any) -> list[Payload]:
            return [Payload(metadata={"encoding": b"reversed"}, data=p.SerializeToString()[::-1]) for p in payloads]

        async def decode(self, payloads: Any) -> list[Payload]:
            return [Payload.FromString(p.data[::-1]) for p in payloads]

    theirs = dataclasses.replace(DataConverter.default, payload_codec=Reversing())
    converter = converter_of(SessionDatasetsPlugin(FolderStore(tmp_path)), theirs)

    async def there_and_back() -> list[Any]:
        return await converter.decode(await converter.encode(["secret " * 20_000]))

    assert asyncio.run(there_and_back()) == ["secret " * 20_000]
    [kept] = tmp_path.iterdir()
    # What is kept is what the codec made, so an encrypting one encrypts the artifact too.
    assert b"secret" not in kept.read_bytes()


def test_a_value_above_the_limit_is_refused_where_it_is_converted(tmp_path: Path) -> None:
    plugin = SessionDatasetsPlugin(FolderStore(tmp_path), max_payload_bytes=100_000)
    payloads = converter_of(plugin, DataConverter.default).payload_converter
    assert len(payloads.to_payloads(["x" * 99_998])[0].data) == 100_000
    with pytest.raises(ApplicationError, match=r"100,001 bytes was not sent") as refused:
        payloads.to_payloads(["small", "x" * 99_999])
    assert (refused.value.type, refused.value.non_retryable) == ("PayloadTooLarge", True)


def test_what_stays_in_the_history_is_not_measured_by_what_the_driver_takes(tmp_path: Path) -> None:
    plugin = SessionDatasetsPlugin(FolderStore(tmp_path), threshold_bytes=50_000, max_payload_bytes=10_000)
    payloads = converter_of(plugin, DataConverter.default).payload_converter
    assert payloads.to_payloads(["x" * 20_000])
    with pytest.raises(ApplicationError):
        payloads.to_payloads(["x" * 50_000])


def test_the_converter_reaches_the_processes_of_activities(tmp_path: Path) -> None:
    kind = converter_of(SessionDatasetsPlugin(FolderStore(tmp_path)), DataConverter.default).payload_converter_class
    assert pickle.loads(pickle.dumps(kind)) is kind


def test_an_error_whose_details_are_too_large_is_told_without_them(tmp_path: Path) -> None:
    plugin = SessionDatasetsPlugin(FolderStore(tmp_path), max_payload_bytes=100_000)
    converter = converter_of(plugin, DataConverter.default)
    failure = Failure()
    error = ApplicationError("no such table", "x" * 200_000, type="Refused", non_retryable=True)
    converter.failure_converter.to_failure(error, converter.payload_converter, failure)
    assert failure.message.startswith("no such table (Its details are missing: A payload of 200,002 bytes")
    assert failure.application_failure_info.type == "Refused"
    assert failure.application_failure_info.non_retryable
    assert not failure.application_failure_info.HasField("details")
