"""Which models a verb that is called speaks; the JSON Schemas and the OpenAPI document are made from this table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from session_datasets.domain.names import Verb
from session_datasets.wire import answers, ending, requests
from session_datasets.wire.base import Answer, Request


@dataclass(frozen=True, slots=True)
class Exchange:
    request: type[Request]
    answer: type[Answer]


EXCHANGES: Mapping[Verb, Exchange] = {
    Verb.OPEN_SESSION: Exchange(requests.OpenSessionRequest, answers.OpenSessionAnswer),
    Verb.END_CONVERSATION: Exchange(ending.EndConversationRequest, ending.EndAnswer),
    Verb.END_RUN: Exchange(ending.EndRunRequest, ending.EndAnswer),
    Verb.PREPARE_UPLOAD: Exchange(requests.PrepareUploadRequest, answers.PrepareUploadAnswer),
    Verb.REGISTER_ARTIFACT: Exchange(requests.RegisterArtifactRequest, answers.RegisterArtifactAnswer),
    Verb.LIST_ARTIFACTS: Exchange(requests.ListArtifactsRequest, answers.ListArtifactsAnswer),
    Verb.DESCRIBE_ARTIFACT: Exchange(requests.DescribeArtifactRequest, answers.DescribeArtifactAnswer),
    Verb.LOAD_ARTIFACT: Exchange(requests.LoadArtifactRequest, answers.LoadArtifactAnswer),
    Verb.READ_ROWS: Exchange(requests.ReadRowsRequest, answers.ReadRowsAnswer),
    Verb.READ_COLUMNS: Exchange(requests.ReadColumnsRequest, answers.ReadColumnsAnswer),
}
