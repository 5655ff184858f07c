"""What a handler imports: settings, the door, and the wiring of one function."""
