"""A presigned URL is used with another method, key or version, after its time, or found in a log.

It is signed by Version 4 for one method, one key, one version (a single upload: one length and one sha256), for
minutes; anything else about it changes the signature and is refused. No function writes one to its log, nor a token,
nor a row, whatever happens to a call.
"""

from __future__ import annotations

import hashlib
import io
import logging
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import urllib3

from session_datasets.domain.limits import PRESIGNED_SECONDS, SINGLE_UPLOAD_BYTES_MAX
from session_datasets.domain.names import NODE_VERBS, Verb
from tests.contract.life import exchanges
from tests.support.enforced_cloud import EnforcedCloud
from tests.support.logs import log_of_functions
from tests.support.moto_cloud import MotoCloud
from tests.support.sessions import Answer, Session, problem_code
from tests.support.sigv4 import is_accepted

BODY = b"day,secret-column\n2026-01-01,secret-cell\n"
SHA256 = hashlib.sha256(BODY).hexdigest()
SECRET = "testing"
LARGE = SINGLE_UPLOAD_BYTES_MAX + 1


def presigned(node: Session) -> dict[str, Answer]:
    """One request of each kind that the service hands out."""
    reference = node.register("sales.csv", BODY)["reference"]
    small = node.call("prepare_upload", file_name="b.csv", size=len(BODY), sha256=SHA256)
    large = node.call("prepare_upload", file_name="c.bin", size=LARGE, sha256="0" * 64)
    return {
        "download": node.call("load_artifact", reference=reference)["download"],
        "put": small["put"],
        "part": large["parts"][0]["request"],
        "complete": large["complete"],
    }


KINDS = ("download", "put", "part", "complete")
each_kind = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture
def requests(node: Session) -> dict[str, Answer]:
    return presigned(node)


def accepted(request: Answer, seconds: float = 1, **changes: Any) -> bool:
    """Whether S3 serves it that long after it was signed."""
    changed = {**request, **changes}
    began = datetime.strptime(parse_qs(urlsplit(request["url"]).query)["X-Amz-Date"][0], "%Y%m%dT%H%M%SZ")
    at = began.replace(tzinfo=UTC) + timedelta(seconds=seconds)
    return is_accepted(changed["method"], changed["url"], changed["headers"], SECRET, at)


@each_kind
def test_as_it_was_given_it_is_good_for_minutes(requests: dict[str, Answer], kind: str) -> None:
    assert accepted(requests[kind])
    assert accepted(requests[kind], seconds=PRESIGNED_SECONDS)
    assert PRESIGNED_SECONDS <= 15 * 60


@each_kind
def test_a_second_after_its_time_it_is_not(requests: dict[str, Answer], kind: str) -> None:
    assert not accepted(requests[kind], seconds=PRESIGNED_SECONDS + 1)


@each_kind
def test_its_life_can_not_be_made_longer(requests: dict[str, Answer], kind: str) -> None:
    url = requests[kind]["url"].replace(f"X-Amz-Expires={PRESIGNED_SECONDS}", "X-Amz-Expires=604800")
    assert url != requests[kind]["url"]
    assert not accepted(requests[kind], url=url)


@each_kind
@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "POST", "DELETE", "PATCH"])
def test_no_other_method_is_served(requests: dict[str, Answer], kind: str, method: str) -> None:
    assert accepted(requests[kind], method=method) is (method == requests[kind]["method"])


def _longer(url: str, more: str) -> str:
    return url.replace("&X-Amz-Signature", f"&{more}&X-Amz-Signature")


CHANGES: dict[str, Callable[[str], str]] = {
    "another file": lambda url: url.replace(".csv?", ".csv2?").replace(".bin?", ".bin2?"),
    "another session": lambda url: url.replace("/ses-", "/ses-0"),
    "another owner": lambda url: url.replace("/acme/", "/other/"),
    "a way up": lambda url: url.replace("/datasets/", "/datasets/../datasets/"),
    "a way up, escaped": lambda url: url.replace("/datasets/", "/datasets/%2e%2e/datasets/"),
    "a doubled slash": lambda url: url.replace("/acme/", "//acme/"),
    "the derived prefix": lambda url: url.replace("/acme/", "/_derived/acme/"),
    "another host": lambda url: url.replace("http://127.0.0.1", "http://localhost"),
    "a version": lambda url: _longer(url, "versionId=null"),
    "a part": lambda url: _longer(url, "partNumber=2&uploadId=x"),
    "the access list": lambda url: _longer(url, "acl="),
    "tags": lambda url: _longer(url, "tagging="),
    "headers of the answer": lambda url: _longer(url, "response-content-type=text%2Fhtml"),
    "the old algorithm": lambda url: url.replace("AWS4-HMAC-SHA256", "AWS4-HMAC-SHA1"),
}


@each_kind
@pytest.mark.parametrize("change", CHANGES.values(), ids=list(CHANGES))
def test_nothing_about_the_address_may_change(
    requests: dict[str, Answer], kind: str, change: Callable[[str], str]
) -> None:
    url = change(requests[kind]["url"])
    assert url != requests[kind]["url"]
    assert not accepted(requests[kind], url=url)


def test_a_download_is_of_one_version(requests: dict[str, Answer]) -> None:
    url = requests["download"]["url"]
    version = parse_qs(urlsplit(url).query)["versionId"][0]
    for other in (url.replace(version, "null"), url.replace(f"versionId={version}&", "")):
        assert other != url
        assert not accepted(requests["download"], url=other)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Content-Length", str(len(BODY) + 1)),
        ("x-amz-checksum-sha256", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="),
        ("x-amz-meta-sha256", "0" * 64),
        ("x-amz-acl", "public-read"),
        ("x-amz-copy-source", "/another-bucket/secret"),
        ("x-amz-tagging", "a=b"),
    ],
)
def test_an_upload_takes_its_bytes_and_no_more_headers(requests: dict[str, Answer], name: str, value: str) -> None:
    assert not accepted(requests["put"], headers={**requests["put"]["headers"], name: value})


def test_an_upload_needs_every_header_that_was_signed(requests: dict[str, Answer]) -> None:
    for name in requests["put"]["headers"]:
        headers = {each: value for each, value in requests["put"]["headers"].items() if each != name}
        assert not accepted(requests["put"], headers=headers)


@each_kind
def test_the_signature_is_of_version_4_and_its_key_is_not_in_it(requests: dict[str, Answer], kind: str) -> None:
    query = parse_qs(urlsplit(requests[kind]["url"]).query)
    assert query["X-Amz-Algorithm"] == ["AWS4-HMAC-SHA256"]
    # The old version's names.
    assert not {"AWSAccessKeyId", "Signature", "Expires"} & query.keys()


def test_where_signatures_are_checked_a_changed_request_is_refused(enforced: EnforcedCloud) -> None:
    """An emulator that enforces what AWS does, over TLS; the rule above is ours, this one is somebody else's."""
    pool = urllib3.PoolManager(ca_certs=str(enforced.stack.certificate))
    requests = presigned(Session.open(enforced, run_id="presigned"))
    download, put = requests["download"], requests["put"]
    version = parse_qs(urlsplit(download["url"]).query)["versionId"][0]

    def status(request: Answer, **changes: Any) -> int:
        changed = {**request, **changes}
        body = BODY if changed["method"] == "PUT" else None
        return pool.request(changed["method"], changed["url"], body=body, headers=changed["headers"]).status

    assert status(download) == 200
    assert status(download, method="DELETE") == 403
    assert status(download, url=download["url"].replace("sales.csv", "b.csv")) == 403
    assert status(download, url=download["url"].replace(version, "null")) == 403
    assert status(download, url=download["url"].replace("X-Amz-Expires=900", "X-Amz-Expires=901")) == 403
    assert status(put, url=put["url"].replace("/ses-", "/ses-0")) == 403
    assert status(put) == 200


# --- logs --------------------------------------------------------------------------------------------------

PRIVATE = ("X-Amz-Signature", "X-Amz-Credential", "AWS4-HMAC", "secret-cell", "secret-column", "eyJ")


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> Iterator[io.StringIO]:
    """All that the functions log, at the level that tells most, and what the libraries under them say aloud."""
    stream = log_of_functions(monkeypatch)
    handler = logging.StreamHandler(stream)
    # As Lambda's own handler: warnings and worse of every library.
    handler.setLevel(logging.WARNING)
    logging.getLogger().addHandler(handler)
    for verb in Verb:
        logging.getLogger(verb.value).setLevel(logging.DEBUG)
    yield stream
    logging.getLogger().removeHandler(handler)
    for verb in Verb:
        logging.getLogger(verb.value).setLevel(logging.INFO)


def require_discreet(log: io.StringIO) -> None:
    told = log.getvalue()
    assert told
    assert [each for each in PRIVATE if each in told] == []


def test_the_whole_life_of_a_dataset_leaves_nothing_private_in_any_line(cloud: MotoCloud, log: io.StringIO) -> None:
    life(Session.open(cloud, run_id="run-1"))
    exchanges(cloud)
    require_discreet(log)


def life(node: Session) -> list[Answer]:
    """A call of every verb of a node, answered and refused."""
    key = node.put("sales.csv", BODY)
    registered = node.call("register_artifact", key=key, name="Sales")
    reference = registered.get("reference", "art_01jg00000000000000000000zz")
    columns = ["secret-column"]
    return [
        registered,
        node.call("register_artifact", key=key, name="Sales", sha256=SHA256, rows=99),
        node.call("register_artifact", key=f"{key}?X-Amz-Signature=abc", name="secret-cell"),
        node.call("register_artifact", key=key, name="secret-cell" * 100),
        node.call("prepare_upload", file_name="b.csv", size=len(BODY), sha256=SHA256),
        node.call("prepare_upload", file_name="c.bin", size=LARGE, sha256="0" * 64),
        node.call("list_artifacts", name_contains="secret-cell"),
        node.call("list_artifacts", cursor=node.token),
        node.call("describe_artifact", reference=reference),
        node.call("load_artifact", reference=reference),
        node.call("load_artifact", reference=reference, into="workspace"),
        node.call("read_rows", reference=reference, columns=columns),
        node.call("read_rows", reference=reference, format="arrow"),
        node.call("read_rows", reference=reference, columns=["secret-cell"]),
        node.call("read_columns", reference=reference, columns=columns),
        node.call("read_columns", reference={"artifact_id": "secret-cell"}, columns=columns),
    ]


def test_a_damaged_file_is_refused_without_a_line_of_it(node: Session, log: io.StringIO) -> None:
    for name, body in {
        "a.json": b'[{"secret-column": "secret-cell"}, {"secret-column": ',
        "b.csv": b'secret-column,b\nsecret-cell,"' + b"\xff\xfe\xfd",
        "c.parquet": b"PAR1secret-cell" + bytes(90) + b"PAR1",
    }.items():
        node.register(name, body)
    require_discreet(log)


@pytest.mark.parametrize("service", ["s3", "dynamodb"])
def test_no_failure_of_a_store_tells_it(cloud: MotoCloud, node: Session, log: io.StringIO, service: str) -> None:
    """Whatever is asked of the store fails for no foreseen reason, with what was asked in its words."""
    client = getattr(cloud, service)
    reference = life(node)[0]["reference"]
    key = node.put("secret-cell.csv", BODY)

    def fail(**_: Any) -> None:
        raise RuntimeError("a failure of ours")

    client.meta.events.register_first("before-send.*.*", fail)
    try:
        cloud.restart()
        answers = [cloud.call(verb, {"token": node.token, **_body(verb, reference, key)}) for verb in NODE_VERBS]
    finally:
        client.meta.events.unregister("before-send.*.*", fail)
    assert {problem_code(answer) for answer in answers if "problem" in answer} == {"internal"}
    assert "a failure of ours" in log.getvalue()
    require_discreet(log)


def _body(verb: Verb, reference: Answer, key: str) -> dict[str, Any]:
    bodies: dict[Verb, dict[str, Any]] = {
        Verb.PREPARE_UPLOAD: {"file_name": "secret-cell.csv", "size": LARGE, "sha256": SHA256},
        Verb.REGISTER_ARTIFACT: {"key": key, "name": "secret-cell"},
        Verb.LIST_ARTIFACTS: {"name_contains": "secret-cell"},
        Verb.READ_COLUMNS: {"reference": reference, "columns": ["secret-column"]},
    }
    return bodies.get(verb, {"reference": reference})
