"""What is no artifact id, in words: said by the service to a model, and by the command line before it asks."""

from __future__ import annotations

import re

from session_datasets.domain.artifact import ARTIFACT_ID_CHARACTERS, ARTIFACT_ID_PATTERN, ARTIFACT_ID_PREFIX
from session_datasets.domain.limits import NAME_CHARACTERS_MAX
from session_datasets.domain.quoting import quoted
from session_datasets.domain.redaction import redact, redacted_and_cut

# Of what was given instead, as told again.
_QUOTED_CHARACTERS_MAX = 100
# A shorter one is in every other name.
_STEM_CHARACTERS_MIN = 3


def is_artifact_id(text: str) -> bool:
    return re.fullmatch(ARTIFACT_ID_PATTERN, text) is not None


def no_artifact_id(text: str) -> str:
    """Why ``text`` is no artifact id; it is told in quotes, without secrets, and cut."""
    rule = f"ids begin with {ARTIFACT_ID_PREFIX} and have {ARTIFACT_ID_CHARACTERS} characters"
    if text.startswith(ARTIFACT_ID_PREFIX) and len(text) == ARTIFACT_ID_CHARACTERS:
        rule = f"after {ARTIFACT_ID_PREFIX} ids have digits and small letters, but no i, l, o or u"
    return f"{quoted(redacted_and_cut(text, _QUOTED_CHARACTERS_MAX))} is no artifact id; {rule}"


def name_meant(text: str) -> str:
    """The part by which a listing finds what was called ``text``, if that is a file's path or a name; else empty."""
    file_name = text.rstrip("/").rpartition("/")[2].strip()
    stem = file_name.rpartition(".")[0]
    if len(stem) < _STEM_CHARACTERS_MIN:
        stem = file_name
    is_name = len(text) <= NAME_CHARACTERS_MAX and stem.isprintable() and not stem.startswith((ARTIFACT_ID_PREFIX, "{"))
    return stem if is_name and redact(stem) == stem else ""
