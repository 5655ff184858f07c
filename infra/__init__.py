"""Everything that is deployed, and how."""
