"""References as artifacts: what one node of a run saved, any later node of the run finds under the service's rules."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from tempfile import TemporaryDirectory

from session_datasets.boundary.references.errors import (
    MalformedReferenceError,
    MissingReferenceError,
    UnreachableReferenceError,
)
from session_datasets.boundary.references.pointer import Place
from session_datasets.boundary.references.stores import changed, file_name_of, wrong_store
from session_datasets.client.errors import (
    ChecksumError,
    ConflictError,
    FileGoneError,
    InvalidRequestError,
    NotFoundError,
)
from session_datasets.client.references import AnyReference
from session_datasets.client.workspace import Workspace
from session_datasets.domain.limits import NAME_CHARACTERS_MAX

_FOLDER_PREFIX = ".session-datasets-"
_RUN_AGAIN = "Run the node that produced it again, and pass its new reference."


class WorkspaceStore:
    """Files are registered as artifacts of the workspace's session; a place holds the artifact's reference, which is an
    address and never a permission. ``lineage`` and ``description`` go to every artifact that is made."""

    def __init__(self, workspace: Workspace, *, description: str = "", lineage: Sequence[AnyReference] = ()) -> None:
        self._workspace = workspace
        self._description = description or "A value that a node passed on by reference."
        self._lineage = tuple(lineage)

    def __repr__(self) -> str:
        return f"WorkspaceStore({self._workspace!r})"

    def put(self, file: Path, *, name: str, sha256: str) -> Place:
        with TemporaryDirectory(prefix="session-datasets-") as folder:
            # The file's name becomes the object's.
            named = Path(folder) / file_name_of(name, sha256, file.suffix)
            _link_or_copy(file, named)
            # Nobody waits for its profile: it is read whole, and the profile of a large one comes by itself.
            answer = self._workspace.register_artifact(
                named, name=_artifact_name(name), description=self._description, lineage=self._lineage, wait=False
            )
        return {"artifact": answer.reference.model_dump(mode="json", exclude_none=True)}

    @contextmanager
    def opened(self, place: Place, *, size: int, sha256: str) -> Iterator[BufferedReader]:
        if place.keys() != {"artifact"}:
            raise wrong_store(place, "an artifact")
        artifact = place["artifact"]
        if type(artifact) is not dict or type(artifact.get("artifact_id")) is not str:
            raise MalformedReferenceError(
                "The reference names no artifact; nothing was read.", "Pass a reference exactly as it was given."
            )
        # A folder of its own in nothing that loads share: all that this one leaves goes, and no step of another's.
        target = Path(_FOLDER_PREFIX + secrets.token_hex(8)) / "value"
        folder = self._workspace.directory / target.parent
        try:
            with self._loaded(artifact, target, size).open("rb") as file:
                yield file
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _loaded(self, artifact: dict[str, object], target: Path, size: int) -> Path:
        def tell(_: int, total: int) -> None:
            # Told once before the first byte is fetched: a reference that lies about its size costs nothing.
            if total != size:
                raise changed("of the artifact")

        try:
            return self._workspace.load_artifact(artifact, target, progress=tell)
        except NotFoundError as error:
            raise UnreachableReferenceError(
                "This session reaches no artifact with the id of the reference.",
                "References of another run need a session that may read it; ask the orchestrator for one.",
            ) from error
        except FileGoneError as error:
            raise MissingReferenceError("The file of the artifact is gone.", _RUN_AGAIN) from error
        except ConflictError as error:
            raise MalformedReferenceError(
                "The reference and the record of the artifact disagree; nothing was read.",
                "Pass a reference exactly as save or externalize gave it.",
            ) from error
        except InvalidRequestError as error:
            raise MalformedReferenceError(f"The reference names no artifact: {error.detail}", error.advice) from error
        except ChecksumError as error:
            raise changed("of the artifact") from error


def _artifact_name(name: str) -> str:
    """What the service takes for a name: short, on one line, and text in UTF-8."""
    plain = "".join(each if each.isprintable() else " " for each in name).strip()
    return plain[:NAME_CHARACTERS_MAX].strip() or "value"


def _link_or_copy(file: Path, named: Path) -> None:
    try:
        named.hardlink_to(file)
    except OSError:
        shutil.copyfile(file, named)
