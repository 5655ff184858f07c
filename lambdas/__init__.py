"""One folder a verb. A handler is a doorman: it parses, calls, answers."""
