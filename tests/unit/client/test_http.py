"""Presigned requests go the way that the AWS clients of the process go."""

from __future__ import annotations

from pathlib import Path

import pytest

from session_datasets.client.http import FileHttp

URL = "https://bucket.s3.eu-central-1.amazonaws.com/key?X-Amz-Signature=0"
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "ALL_PROXY", "all_proxy")


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*PROXIES, "AWS_CA_BUNDLE", "REQUESTS_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("variable", ["AWS_CA_BUNDLE", "REQUESTS_CA_BUNDLE"])
def test_certificates_of_the_environment_are_trusted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, variable: str
) -> None:
    monkeypatch.setenv(variable, str(tmp_path / "ca.pem"))
    assert FileHttp()._pool(URL).connection_pool_kw["ca_certs"] == str(tmp_path / "ca.pem")


def test_without_one_the_systems_certificates_are_trusted() -> None:
    assert FileHttp()._pool(URL).connection_pool_kw["ca_certs"] is None


def test_the_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://proxy.example:3128")
    proxy = FileHttp()._pool(URL).proxy
    assert proxy is not None
    assert (proxy.host, proxy.port) == ("proxy.example", 3128)


def test_hosts_that_need_no_proxy_get_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://proxy.example:3128")
    monkeypatch.setenv("no_proxy", ".amazonaws.com")
    assert FileHttp()._pool(URL).proxy is None
