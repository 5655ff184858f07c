"""The environment variables that what talks to an emulator has: named ones only, nothing of the host's."""

from __future__ import annotations

import os
from pathlib import Path

REGION = "us-east-1"
ACCOUNT = "000000000000"

# Both emulators take any key; twelve digits would be read as an account number, so these are words.
ACCESS_KEY = "local"
SECRET_KEY = "local"

# A machine behind a company's proxy trusts that proxy through these; they name files and tell nothing else.
_TRUST = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")


def scrubbed(home: Path) -> dict[str, str]:
    """A bare environment whose home and temporary directory lie in `home` (both are made)."""
    temporary = home / "tmp"
    temporary.mkdir(parents=True, exist_ok=True)
    trust = {name: os.environ[name] for name in _TRUST if name in os.environ}
    return {
        **trust,
        "PATH": os.defpath,
        "LANG": "C.UTF-8",
        "HOME": str(home),
        "TMPDIR": str(temporary),
        "PYTHONDONTWRITEBYTECODE": "1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }


def forget_aws() -> None:
    """Take what the caller's shell says of AWS out of this process, which is about to talk to an emulator only.

    A profile in the shell that no longer exists would stop every client, whatever keys that client is given.
    """
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        del os.environ[name]
    # Nor does a default profile below the home directory have a say: these files are no files.
    os.environ["AWS_CONFIG_FILE"] = os.environ["AWS_SHARED_CREDENTIALS_FILE"] = os.devnull


def elsewhere() -> str | None:
    """The endpoint that this shell sends every AWS client to, instead of to AWS; None when there is none."""
    return os.environ.get("AWS_ENDPOINT_URL") or None


def aws_client(endpoint: str, certificate: Path | None = None) -> dict[str, str]:
    """What points any AWS SDK or the CDK command line at the emulator that listens on `endpoint`."""
    return {
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_ENDPOINT_URL_S3": endpoint,
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_ACCESS_KEY_ID": ACCESS_KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
        "AWS_EC2_METADATA_DISABLED": "true",
        **(trusting(certificate) if certificate else {}),
    }


def trusting(certificate: Path) -> dict[str, str]:
    """What makes any AWS SDK and Node.js trust an emulator that speaks TLS."""
    return {"AWS_CA_BUNDLE": str(certificate), "NODE_EXTRA_CA_CERTS": str(certificate)}
