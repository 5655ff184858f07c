"""How rows lie for reading: segments, columns and pyramid, written in one pass and read by ranges."""
