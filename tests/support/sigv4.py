"""What S3 makes of a presigned request: its rule of Signature Version 4 in the query, once more and in small.

The emulators of this repository take any signature, unless they enforce policies; this takes none but the right one.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qsl, quote, unquote, urlsplit


def is_accepted(method: str, url: str, headers: Mapping[str, str], secret: str, at: datetime) -> bool:
    """Whether S3 would serve this request at this moment, as far as its signature and its age go."""
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    signature = query.pop("X-Amz-Signature", "")
    if query.get("X-Amz-Algorithm") != "AWS4-HMAC-SHA256":
        return False
    began = datetime.strptime(query["X-Amz-Date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    if not began <= at <= began + timedelta(seconds=int(query["X-Amz-Expires"])):
        return False
    sent = {name.lower(): value.strip() for name, value in headers.items()} | {"host": parts.netloc}
    signed = query["X-Amz-SignedHeaders"].split(";")
    # S3 wants every x-amz- header that is sent to be signed.
    if any(name not in sent for name in signed) or any(n.startswith("x-amz-") and n not in signed for n in sent):
        return False
    canonical = "\n".join(
        [
            method,
            quote(unquote(parts.path), safe="/-_.~"),
            "&".join(
                sorted(f"{quote(name, safe='-_.~')}={quote(value, safe='-_.~')}" for name, value in query.items())
            ),
            *(f"{name}:{sent[name]}" for name in signed),
            "",
            ";".join(signed),
            "UNSIGNED-PAYLOAD",
        ]
    )
    scope = query["X-Amz-Credential"].split("/", 1)[1]
    told = "\n".join(["AWS4-HMAC-SHA256", query["X-Amz-Date"], scope, hashlib.sha256(canonical.encode()).hexdigest()])
    key = f"AWS4{secret}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    return hmac.compare_digest(hmac.digest(key, told.encode(), "sha256").hex(), signature)
