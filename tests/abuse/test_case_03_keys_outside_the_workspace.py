"""Register, or an upload, with a key that is not a plain file of the own workspace.

Refused before any store is asked. S3 keeps ``a/../b`` as three segments and ``%2e`` as three characters, so nothing is
normalised and nothing has to be: a key consists of allowed characters below the own prefix, or it is none.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from session_datasets.domain.errors import Refusal
from session_datasets.storage.keys import require_inside, workspace_prefix
from tests.support.builders import a_caller
from tests.support.moto_cloud import MotoCloud
from tests.support.sessions import Session, problem_code

# ``{}`` is the own workspace.
ELSEWHERE = {
    "another run": "acme/runs/run-2/ses-1/datasets/a.csv",
    "another session of the run": "acme/runs/run-1/ses-1/datasets/a.csv",
    "another owner": "other/runs/run-1/ses-1/datasets/a.csv",
    "a conversation of the run's name": "acme/conversations/run-1/datasets/a.csv",
    "a longer name of the own session": "{}x/datasets/a.csv",
    "derived objects": "_derived/{}art_01jg00000000000000000000zz/rows",
    "another bucket": "s3://another-bucket/{}datasets/a.csv",
    "an ARN": "arn:aws:s3:::another-bucket/{}datasets/a.csv",
    "an access point": "arn:aws:s3:us-east-1:123456789012:accesspoint/mine/object/{}datasets/a.csv",
    "a URL": "https://another-bucket.s3.amazonaws.com/{}datasets/a.csv",
    "a leading slash": "/{}datasets/a.csv",
    "a leading dot": "./{}datasets/a.csv",
    "a leading blank": " {}datasets/a.csv",
    "the workspace itself": "{}",
    "its folder": "{}datasets/",
    "its folder without a slash": "{}datasets",
    "beside its folders": "{}a.csv",
    "a folder of another name": "{}secrets/a.csv",
    "a folder in capitals": "{}Datasets/a.csv",
    "nothing": "",
}
ODD = {
    "two dots": "{}datasets/../../ses-1/datasets/a.csv",
    "two dots that come back": "{}datasets/x/../a.csv",
    "two dots at the end": "{}datasets/..",
    "one dot": "{}datasets/./a.csv",
    "three dots": "{}datasets/.../a.csv",
    "dots, escaped": "{}datasets/%2e%2e/a.csv",
    "dots, escaped twice": "{}datasets/%252e%252e/a.csv",
    "a slash, escaped": "{}datasets/..%2f..%2fa.csv",
    "dots, overlong": "{}datasets/%c0%ae%c0%ae/a.csv",
    "an empty segment": "{}datasets//a.csv",
    "a slash at the end": "{}datasets/a.csv/",
    "a backslash": "{}datasets\\a.csv",
    "backslashes up": "{}datasets/..\\..\\a.csv",
    "NUL": "{}datasets/a\0.csv",
    "a NUL at the end": "{}datasets/a.csv\0",
    "a line end": "{}datasets/a.csv\n",
    "a carriage return": "{}datasets/a\r.csv",
    "a tab": "{}datasets/a\t.csv",
    "an escape": "{}datasets/\x1b[2Ja.csv",
    "a delete": "{}datasets/a\x7f.csv",
    "a hidden file": "{}datasets/.bashrc",
    "a blank first": "{}datasets/ a.csv",
    "a question": "{}datasets/a.csv?versionId=null",
    "a fragment": "{}datasets/a.csv#x",
    "a star": "{}datasets/*",
    "a policy's variable": "{}datasets/${{aws:username}}",
    "a semicolon": "{}datasets/a.csv;.csv",
    "a colon": "{}datasets/C:a.csv",
    "a quote": "{}datasets/a'.csv",
    "fullwidth dots": "{}datasets/．．/a.csv",
    "a one dot leader": "{}datasets/\u2024\u2024/a.csv",
    "a fullwidth slash": "{}datasets/..\uff0fa.csv",
    "a division slash": "{}datasets/..\u2215a.csv",
    "a Cyrillic a": "{}datasets/\u0430.csv",
    "an Arabic digit": "{}datasets/\u0661.csv",
    "a combining mark": "{}datasets/e\u0301.csv",
    "a zero width space": "{}datasets/a\u200b.csv",
    "right to left": "{}datasets/\u202evsc.a",
    "a mark of byte order": "\ufeff{}datasets/a.csv",
    "a long segment": "{}datasets/" + "x" * 256,
    "a long key": "{}datasets/" + "/".join(["x" * 200] * 6),
    "a megabyte": "{}datasets/" + "x" * 1_000_000,
}


@pytest.mark.parametrize("key", [*ELSEWHERE.values(), *ODD.values()], ids=[*ELSEWHERE, *ODD])
def test_register_refuses_the_key_before_any_store_is_asked(cloud: MotoCloud, node: Session, key: str) -> None:
    with cloud.failing_when_asked():
        refused = node.call("register_artifact", key=key.replace("{}", node.workspace), name="n")
    assert problem_code(refused) == "key-outside-workspace"
    assert refused["problem"]["status"] == 400
    assert len(str(refused)) < 1_000


@pytest.mark.parametrize("key", [7, None, True, ["a"], {"a": 1}, "{}datasets/a\ud800.csv"], ids=str)
def test_what_is_no_text_is_no_key(cloud: MotoCloud, node: Session, key: object) -> None:
    with cloud.failing_when_asked():
        assert problem_code(node.call("register_artifact", key=key, name="n")) == "invalid-request"


@pytest.mark.parametrize("key", ODD.values(), ids=list(ODD))
def test_an_upload_takes_no_such_name_either(cloud: MotoCloud, node: Session, key: str) -> None:
    name = key.removeprefix("{}datasets").removeprefix("/")
    asked = {"file_name": name, "size": 1, "sha256": "0" * 64}
    with cloud.failing_when_asked():
        refused = node.call("prepare_upload", **asked)
    assert problem_code(refused) == "invalid-request"
    proposed = refused["problem"]["retry_with"]["file_name"]
    assert (
        node.call("prepare_upload", **{**asked, "file_name": proposed})["key"] == f"{node.workspace}datasets/{proposed}"
    )


def test_a_key_that_s3_keeps_literally_is_not_followed(cloud: MotoCloud, node: Session) -> None:
    """Somebody with keys of their own wrote it; to S3 it is an object like any other."""
    key = f"{node.workspace}datasets/../secret.csv"
    cloud.s3.put_object(Bucket=cloud.bucket, Key=key, Body=b"a\n1\n")
    assert problem_code(node.call("register_artifact", key=key, name="n")) == "key-outside-workspace"


CALLER = a_caller(run_id="run-1")


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60) | st.text("./%\\ ax-_=+(),@\0é", max_size=30))
def test_whatever_is_accepted_is_a_plain_path_below_the_own_workspace(rest: str) -> None:
    key = workspace_prefix(CALLER) + "datasets/" + rest
    try:
        require_inside(CALLER, key)
    except Refusal:
        return
    assert re.fullmatch(r"[\x20-\x7e]+", rest)
    assert all(segment and not segment.startswith((".", " ")) for segment in rest.split("/"))
    assert not set(rest) & set("%\\?#*:;'\"<>|{}$&`~^![]")
