"""What an agent is answered by its tools, and by its file system."""

from __future__ import annotations

from typing import Any

from session_datasets.client.transport import InProcessTransport
from session_datasets.client.workspace import Workspace
from session_datasets.domain.names import Verb
from session_datasets.tools import Toolbox
from session_datasets.tools.contents import WHOLE_BYTES_MAX, FileTooLargeError, NoTextError
from session_datasets.tools.deepagents import WorkspaceBackend
from session_datasets.tools.files import NoSuchFileError
from session_datasets.tools.toolbox import WrongCallError
from tests.contract.raised.showing import Examples, Place

EXAMPLES = Examples({})


def _called(place: Place, tool: str, **arguments: Any) -> str:
    answer = Toolbox(place.cloud.open(directory=place.folder)).call(tool, arguments)
    assert answer.is_error
    return answer.text


@EXAMPLES.answered(WrongCallError)
def wrong_call(place: Place) -> str:
    return _called(place, "read_rows", artifact_id="art_01jg00000000000000000000zz", offest=20)


@EXAMPLES.answered(NoSuchFileError)
def no_such_file(place: Place) -> str:
    (place.folder / "sales.csv").write_text("day,amount\n2026-01-01,10\n")
    return _called(place, "register_artifact", path="slaes.csv", name="Sales")


@EXAMPLES.answered(FileTooLargeError)
def file_too_large(place: Place) -> str:
    def serve(verb: Verb, body: Any) -> Any:
        """The service, if the file had a byte more than one reads."""
        answer = place.cloud.call(verb, body)
        for each in answer.get("artifacts", []):
            each["size"] = WHOLE_BYTES_MAX + 1
        return answer

    known = place.cloud.open(directory=place.folder)
    assert not WorkspaceBackend(known).write("/log.txt", "a line\n").error
    backend = WorkspaceBackend(Workspace(known.token, InProcessTransport(serve), place.folder))
    return str(backend.read("/log.txt").error)


@EXAMPLES.answered(NoTextError)
def no_text(place: Place) -> str:
    backend = WorkspaceBackend(place.cloud.open(directory=place.folder))
    return str(backend.write("/notes.txt", "half of a pair: \ud83d").error)
