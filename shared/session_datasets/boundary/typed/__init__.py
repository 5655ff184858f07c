"""How values of Python's own types are spelled as JSON and keep their type; ``boundary.typed_json`` is its door."""
