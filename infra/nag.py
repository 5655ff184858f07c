"""Acknowledged findings of the AwsSolutions rules: one rule, one resource, one reason."""

from __future__ import annotations

from aws_cdk import Acknowledgment, Validations
from constructs import Construct


def acknowledge(construct: Construct, rule: str, reason: str) -> None:
    """Accept ``rule``'s finding on ``construct`` alone; the reason is kept in the construct's metadata."""
    Validations.of(construct).acknowledge(Acknowledgment(id=rule, reason=reason))
