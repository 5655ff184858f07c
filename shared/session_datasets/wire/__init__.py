"""JSON in and out, version 1: the only place that spells the fields."""
