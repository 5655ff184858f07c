"""The command line: every verb for a person's hands."""
