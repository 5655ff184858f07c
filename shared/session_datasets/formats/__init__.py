"""Files as tables: the only room that knows Arrow."""
