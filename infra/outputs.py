"""Outputs of the stack that something else reads by name; nothing here needs the CDK library."""

from __future__ import annotations

# Which of the environments the stack was deployed as.
ENVIRONMENT_OUTPUT = "Environment"
