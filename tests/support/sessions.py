"""A session that speaks the wire itself, so that a test sees exactly what travels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

Answer = dict[str, Any]


class Cloud(Protocol):
    """A deployment: something that answers verbs, and a bucket to put files into as a node would."""

    bucket: str
    s3: Any

    def call(self, verb: str, body: Any) -> Answer: ...


@dataclass(frozen=True)
class Session:
    """One open session of a cloud; ``call`` adds its token."""

    cloud: Cloud
    token: str
    session_id: str
    workspace: str

    @classmethod
    def open(cls, cloud: Cloud, **scope: Any) -> Session:
        if not {"conversation_id", "run_id"} & scope.keys():
            scope["conversation_id"] = "talk-1"
        opened = cloud.call("open_session", {"owner": "acme", "node": "node", **scope})
        return cls(cloud, opened["token"], opened["session_id"], opened["workspace"])

    def call(self, verb: str, **body: Any) -> Answer:
        return self.cloud.call(verb, {"token": self.token, **body})

    def put(self, name: str, body: bytes) -> str:
        """Writes the file into the workspace; answers its key."""
        key = f"{self.workspace}datasets/{name}"
        self.cloud.s3.put_object(Bucket=self.cloud.bucket, Key=key, Body=body)
        return key

    def register(self, file_name: str = "sales.csv", body: bytes = b"a,b\n1,x\n2,y\n", **more: Any) -> Answer:
        """Puts the file and registers it."""
        return self.call("register_artifact", **{"key": self.put(file_name, body), "name": file_name, **more})

    def listed(self, **query: Any) -> list[str]:
        """Ids of one listing, to its end."""
        ids: list[str] = []
        cursor: dict[str, str] = {}
        while True:
            page = self.call("list_artifacts", **query, **cursor)
            ids += [item["artifact_id"] for item in page["artifacts"]]
            if "next_cursor" not in page:
                return ids
            cursor = {"cursor": page["next_cursor"]}


def problem_code(answer: Answer) -> str:
    """The code of a refused call; a call that was answered fails the test."""
    assert "problem" in answer, f"answered instead of refused: {sorted(answer)}"
    return str(answer["problem"]["code"])


def without_request_id(answer: Answer) -> Answer:
    problem = {name: value for name, value in answer["problem"].items() if name != "request_id"}
    return {**answer, "problem": problem}


Opened = Callable[..., Session]
