"""CSV: its dialect, its rows, and the types of its columns."""
