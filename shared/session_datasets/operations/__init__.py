"""One file per verb: what the service does, told without AWS, Arrow or JSON."""
