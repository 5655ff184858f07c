"""What the product is about, in the standard library's words: nothing here knows AWS, Arrow or JSON."""
