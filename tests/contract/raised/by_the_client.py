"""What the client raises by itself: no answer came, a file did not come through, the surroundings lack something."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pandas as pd
from botocore import exceptions as aws

from session_datasets.client import errors, transport
from session_datasets.client.errors import SessionDatasetsError
from session_datasets.client.transport import DeployedTransport, InProcessTransport
from session_datasets.client.workspace import Workspace
from session_datasets.domain.names import Verb
from tests.contract.raised.showing import Examples, Place
from tests.support.moto_cloud import MotoCloud
from tests.unit.client.test_deployed_transport import Lambda, payload, refused

EXAMPLES = Examples({})
_LOAD = "load_artifact call"
_READ = "read_rows call"
_REGISTER = "register_artifact call"
_BODY = b"day,amount\n2026-01-01,10\n"


def _invoked(outcome: Any, verb: Verb = Verb.READ_ROWS) -> object:
    """A call of a deployed function, of which the Lambda API says ``outcome``."""
    with patch.object(transport, "lambda_client", lambda: Lambda(outcome)):
        return DeployedTransport().call(verb, {"v": 1})


def _opened(place: Place) -> Workspace:
    return place.cloud.open(directory=place.folder)


def _file(place: Place, body: bytes = _BODY) -> Path:
    file = place.folder / "sales.csv"
    file.write_bytes(body)
    return file


@EXAMPLES.of(errors.TransportError, _READ)
def transport_fails(place: Place) -> None:
    _invoked(refused("TooManyRequestsException", 429))


@EXAMPLES.of(errors.NotDeployedError, _READ)
def not_deployed(place: Place) -> None:
    _invoked(refused("ResourceNotFoundException", 404))


@EXAMPLES.of(errors.LostAnswerError, _REGISTER)
def lost_answer(place: Place) -> None:
    _invoked(aws.ConnectionClosedError(endpoint_url="https://lambda"), Verb.REGISTER_ARTIFACT)


@EXAMPLES.of(errors.FunctionFailedError, _READ)
def function_failed(place: Place) -> None:
    _invoked(payload({"errorType": "Runtime.ExitError"}, FunctionError="Unhandled"))


@EXAMPLES.of(errors.FunctionTimedOutError, _REGISTER)
def function_timed_out(place: Place) -> None:
    _invoked(payload({"errorType": "Sandbox.Timedout"}, FunctionError="Unhandled"), Verb.REGISTER_ARTIFACT)


@EXAMPLES.of(errors.UnexpectedAnswerError, _READ)
def unexpected_answer(place: Place) -> None:
    _invoked(payload(["no", "object"]))


def _load_another(place: Place, **changed: Any) -> None:
    """Loads an artifact of which the service says something else than was registered."""

    def serve(verb: Verb, body: Any) -> Any:
        answer = place.cloud.call(verb, body)
        return {**answer, **changed} if verb is Verb.LOAD_ARTIFACT else answer

    known = _opened(place)
    artifact = known.register_artifact(_file(place))
    Workspace(known.token, InProcessTransport(serve), place.folder).load_artifact(artifact, "copy.csv")


@EXAMPLES.of(errors.TransferError, _LOAD)
def transfer_refused(place: Place) -> None:
    known = _opened(place)
    artifact = known.register_artifact(_file(place))
    # Its bucket is emptied after the service has offered the download, and before that begins.
    offered = place.cloud.call(
        "load_artifact", {"token": known.token, "reference": {"artifact_id": artifact.artifact_id}}
    )
    place.cloud.s3.delete_object(
        Bucket=place.cloud.bucket, Key=artifact.reference.key, VersionId=artifact.reference.version_id
    )
    stale = InProcessTransport(lambda verb, body: offered)
    Workspace(known.token, stale, place.folder).load_artifact(artifact, "copy.csv")


@EXAMPLES.of(errors.ChecksumError, _LOAD)
def other_bytes(place: Place) -> None:
    _load_another(place, sha256="0" * 64)


@EXAMPLES.of(errors.NotEnoughSpaceError, _LOAD)
def disk_is_full(place: Place) -> None:
    known = _opened(place)
    artifact = known.register_artifact(_file(place))
    with patch("shutil.disk_usage", lambda _: type("Usage", (), {"free": 12})):
        known.load_artifact(artifact, "copy.csv")


@EXAMPLES.of(errors.WaitedTooLongError, _REGISTER)
def waited_too_long(place: Place) -> None:
    known = _opened(replace(place, cloud=MotoCloud(place.cloud.endpoint, profiled_at_once_bytes=0)))
    known.wait(known.register_artifact(_file(place), wait=False), 0)


@EXAMPLES.of(errors.UnsafePathError, _LOAD)
def outside_of_the_directory(place: Place) -> None:
    known = _opened(place)
    known.load_artifact(known.register_artifact(_file(place)), "../a.csv")


@EXAMPLES.of(errors.IncompleteRowError, "iter_rows call")
def row_larger_than_a_page(place: Place) -> None:
    known = _opened(place)
    artifact = known.register_artifact(_file(place, b"essay,mark\n" + b"word " * 1_000_000 + b",7\n"))
    list(known.iter_rows(artifact))


@EXAMPLES.of(errors.UnwritableTableError, _REGISTER)
def mixed_column(place: Place) -> None:
    _opened(place).register_artifact(pd.DataFrame({"mixed": [1, "one"]}), name="mixed")


@EXAMPLES.of(errors.ConfigurationError, _READ)
def no_session(place: Place) -> None:
    Workspace.from_env(environment={})


@EXAMPLES.of(errors.MissingExtraError, "to_arrow call")
def without_pyarrow(place: Place) -> None:
    known = _opened(place)
    artifact = known.register_artifact(_file(place))
    with patch.dict("sys.modules", {"pyarrow": None}):
        known.to_arrow(artifact)


@EXAMPLES.of(SessionDatasetsError, _READ)
def an_applications_own(place: Place) -> None:
    raise SessionDatasetsError("The call did not succeed.")
