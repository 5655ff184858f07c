"""Ranges of objects, on moto: what is asked quickly, and what the client is asked instead."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import patch

import pytest
from botocore.exceptions import ClientError

from session_datasets.domain.scope import Scope
from session_datasets.storage.narrowing import acting_for
from session_datasets.storage.ranged_gets import RangedGets
from tests.support.moto_cloud import MotoCloud

BODY = bytes(range(256)) * 8


class Stored:
    """One object of two versions; ``asked`` counts what goes straight to S3."""

    def __init__(self, cloud: MotoCloud, monkeypatch: pytest.MonkeyPatch) -> None:
        self.cloud = cloud
        self.now = 0.0
        self.gets = RangedGets(cloud.s3, cloud.bucket, lambda: self.now)
        self.version = self.put(BODY)
        self.put(b"x" * len(BODY))
        self.urls: list[str] = []
        get = self.gets._connections.get

        def counted(url: str, first: int, last: int) -> bytes | None:
            self.urls.append(url)
            return get(url, first, last)

        monkeypatch.setattr(self.gets._connections, "get", counted)

    def put(self, body: bytes) -> str:
        return str(self.cloud.s3.put_object(Bucket=self.cloud.bucket, Key="it", Body=body)["VersionId"])


@pytest.fixture
def stored(cloud: MotoCloud, monkeypatch: pytest.MonkeyPatch) -> Stored:
    return Stored(cloud, monkeypatch)


def test_a_range_is_one_request_of_the_pinned_version(stored: Stored) -> None:
    with stored.cloud.counted_requests() as counts:
        assert stored.gets.get("it", stored.version, 3, 1_000) == (BODY[3:1_001], 1)
    assert (len(stored.urls), counts.total()) == (1, 0)


def test_a_url_is_signed_once_for_all_ranges_until_it_is_old(stored: Stored) -> None:
    with patch.object(
        stored.cloud.s3, "generate_presigned_url", wraps=stored.cloud.s3.generate_presigned_url
    ) as signed:
        for seconds, signatures in ((0, 1), (300, 1), (301, 2)):
            stored.now = seconds
            assert stored.gets.get("it", stored.version, seconds, seconds) == (BODY[seconds : seconds + 1], 1)
            assert signed.call_count == signatures


def test_a_url_that_was_signed_for_one_caller_is_never_used_for_another(stored: Stored) -> None:
    acme, other = Scope("acme", "ses-1", None, "run-7"), Scope("other", "ses-1", None, "run-7")
    with patch.object(
        stored.cloud.s3, "generate_presigned_url", wraps=stored.cloud.s3.generate_presigned_url
    ) as signed:
        for scope, signatures in ((acme, 1), (other, 2), (acme, 2), (replace(acme, session_id="ses-2"), 3)):
            with acting_for(scope):
                assert stored.gets.get("it", stored.version, 0, 9) == (BODY[:10], 1)
            assert signed.call_count == signatures


def test_what_fails_is_asked_of_the_client(stored: Stored, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored.gets._connections, "get", lambda *_: None)
    assert stored.gets.get("it", stored.version, 0, 9) == (BODY[:10], 2)


def test_a_version_that_is_gone_is_the_clients_error(stored: Stored) -> None:
    stored.cloud.s3.delete_object(Bucket=stored.cloud.bucket, Key="it", VersionId=stored.version)
    with pytest.raises(ClientError, match="NoSuchVersion"):
        stored.gets.get("it", stored.version, 0, 9)


def test_behind_a_proxy_the_client_is_asked_at_once(stored: Stored, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.invalid")
    assert stored.gets.get("it", stored.version, 0, 9) == (BODY[:10], 1)
    assert stored.urls == []
