"""The plugin that a Temporal client, worker or replayer takes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable

from temporalio.converter import DataConverter, DefaultFailureConverter, ExternalStorage
from temporalio.plugin import SimplePlugin
from temporalio.worker import WorkerConfig, WorkflowRunner
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner

from session_datasets.boundary.passthrough import resolve_passthrough_modules
from session_datasets.boundary.payloads import build_data_converter
from session_datasets.boundary.references import Store
from session_datasets.boundary.references.adapting import maker_of
from session_datasets.boundary.temporal.driver import MAX_PAYLOAD_BYTES, ArtifactStorageDriver
from session_datasets.boundary.temporal.failures import PayloadFailureConverter
from session_datasets.boundary.temporal.interceptor import ContinuingInterceptor
from session_datasets.boundary.temporal.payload_converter import refusing_above
from session_datasets.client.errors import ConfigurationError
from session_datasets.client.workspace import Workspace
from session_datasets.domain.limits import KIB

# A history holds up to 50 MiB in all, and every event of it is read again at each replay.
THRESHOLD_BYTES = 64 * KIB
THRESHOLD_BYTES_MIN = KIB
_DESCRIPTION = "A payload of a Temporal workflow, activity or call."


Kept = Workspace | Store


class SessionDatasetsPlugin(SimplePlugin):
    """Payloads from ``threshold_bytes`` on cross as references to artifacts, in both directions and for workflows,
    activities, signals, queries and continue-as-new alike; smaller ones as ever.

    ``store`` is a workspace, a store of references, or a function that answers either and is asked at every payload, so
    that a long-lived worker may open a new session before a token runs out: what earlier sessions of the same run or
    conversation kept stays within reach. Unset fields of Pydantic models are not sent (``build_data_converter``). The
    sandbox takes this package and the frameworks it adapts to from the worker, and ``passthrough_modules`` beside them.

    A value above ``max_payload_bytes`` is refused where it is sent, in a workflow's code too: PayloadTooLarge, an
    ApplicationError. Lowering that number for running workflows changes what a replay of them does.

    TypeError for anything else than a store. ConfigurationError for a data converter with a payload converter or an
    external storage of the program's own, which says how to join them.
    """

    def __init__(
        self,
        store: Kept | Callable[[], Kept],
        *,
        threshold_bytes: int = THRESHOLD_BYTES,
        max_payload_bytes: int = MAX_PAYLOAD_BYTES,
        passthrough_modules: Iterable[str] | None = None,
    ) -> None:
        if threshold_bytes < THRESHOLD_BYTES_MIN:
            raise ValueError(
                f"threshold_bytes is {threshold_bytes}, and a reference takes most of {THRESHOLD_BYTES_MIN} itself; "
                "pass that much or more."
            )
        stores = maker_of(store, "SessionDatasetsPlugin", description=_DESCRIPTION)
        self._driver = ArtifactStorageDriver(stores, max_payload_bytes=max_payload_bytes)
        self._storage = ExternalStorage(
            drivers=[self._driver],
            # The SDK measures data and metadata together; a file holds the data.
            driver_selector=lambda _, payload: self._driver if len(payload.data) >= threshold_bytes else None,
            payload_size_threshold=0,
        )
        # What stays below the threshold crosses in the history, whatever the driver takes.
        self._bytes_max = max(max_payload_bytes, threshold_bytes - 1)
        self._modules = resolve_passthrough_modules(passthrough_modules)
        super().__init__(
            "session_datasets.SessionDatasetsPlugin",
            data_converter=self._with_storage,
            workflow_runner=self._with_modules,
            interceptors=[ContinuingInterceptor()],
        )

    @property
    def driver(self) -> ArtifactStorageDriver:
        """For an ``ExternalStorage`` of the program's own that has other drivers, too."""
        return self._driver

    def configure_worker(self, config: WorkerConfig) -> WorkerConfig:
        """ConfigurationError for a client without the plugin: it, and not the worker, converts payloads."""
        client = config.get("client")
        storage = client.data_converter.external_storage if client else self._storage
        if storage is None or not any(isinstance(each, ArtifactStorageDriver) for each in storage.drivers):
            raise ConfigurationError(
                "The worker was given the plugin and its client was not, so nothing would cross by reference.",
                "Pass it to Client.connect(..., plugins=[plugin]); the worker takes it from its client.",
            )
        return super().configure_worker(config)

    def _with_storage(self, converter: DataConverter | None) -> DataConverter:
        converter = build_data_converter(converter)
        if converter.failure_converter_class is DefaultFailureConverter:
            converter = dataclasses.replace(converter, failure_converter_class=PayloadFailureConverter)
        if converter.external_storage is None:
            return dataclasses.replace(self._refusing(converter), external_storage=self._storage)
        if self._driver in converter.external_storage.drivers:
            return converter
        raise ConfigurationError(
            "The data converter has an external storage of its own, which was not replaced.",
            "Put this plugin's driver among its drivers, and choose it in its driver_selector.",
        )

    def _refusing(self, converter: DataConverter) -> DataConverter:
        if converter.payload_codec is not None:
            # It decides how many bytes are sent.
            return converter
        refusing = refusing_above(converter.payload_converter_class, self._bytes_max)
        return dataclasses.replace(converter, payload_converter_class=refusing)

    def _with_modules(self, runner: WorkflowRunner | None) -> WorkflowRunner:
        if isinstance(runner, SandboxedWorkflowRunner):
            restrictions = runner.restrictions.with_passthrough_modules(*self._modules)
            return dataclasses.replace(runner, restrictions=restrictions)
        if runner is None:
            raise ConfigurationError("The worker has no workflow runner.", "Leave workflow_runner at its default.")
        return runner
