"""Errors as corrective feedback: what a model is told when something was refused or failed."""
