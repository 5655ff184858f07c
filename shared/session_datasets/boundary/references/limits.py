"""What one value or one hydrate may be, with its reason."""

from __future__ import annotations

from session_datasets.domain.limits import GIB, KIB

# Serialized bytes that stay inline. A state of eight such fields passes the smallest boundary that we know of, a
# payload of Step Functions with 256 KiB.
INLINE_BYTES_MAX = 32 * KIB
# Of all files that one hydrate brings back, each counted by the larger of its size and of what it unpacks to.
HYDRATE_BYTES_MAX = GIB
HYDRATE_FILES_MAX = 1_000  # and of all that one externalize leaves, so that nothing is written which is never read
# A file of typed JSON may hold references, to files that hold references ...
NESTED_FILES_MAX = 8
# Fields of one mapping that get files of their own; a mapping with more of them becomes one file.
FIELD_FILES_MAX = 16
# What a pointer tells of keys and columns, so that it stays below 8 KB: 50 names of 64 bytes, twice.
NAMES_MAX = 50
NAME_BYTES_MAX = 64
