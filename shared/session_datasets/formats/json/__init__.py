"""JSON arrays and JSON Lines of objects: split, parsed without loss, and typed."""
