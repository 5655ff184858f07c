"""GetObject with both a version and a range answers with the whole object: cut it as S3 does."""

from __future__ import annotations

from typing import Any

from ministack.services import s3

Answer = tuple[int, dict[str, str], bytes]


def mend() -> None:
    whole = s3._get_object

    def ranged(bucket: str, key: str, headers: dict[str, str], query: dict[str, Any] | None = None) -> Answer:
        status, answer, body = whole(bucket, key, headers, query)
        wanted = headers.get("range", "")
        if status != 200 or not wanted or not s3._qp(query or {}, "versionId", ""):
            return status, answer, body
        return _cut(bucket, key, wanted, answer, body)

    s3._get_object = ranged


def _cut(bucket: str, key: str, wanted: str, answer: dict[str, str], body: bytes) -> Answer:
    window = s3._parse_range(wanted, len(body))
    if window is None:
        error = s3._xml_body(s3._range_error_xml(bucket, key))
        return 416, {"Content-Type": "application/xml", "Content-Range": f"bytes */{len(body)}"}, error
    first, last = window
    part = body[first : last + 1]
    # A checksum of the whole object would not match the part, and the SDK checks it.
    kept = {name: value for name, value in answer.items() if not name.lower().startswith("x-amz-checksum-")}
    kept["Content-Length"] = str(len(part))
    kept["Content-Range"] = f"bytes {first}-{last}/{len(body)}"
    return 206, kept, part
