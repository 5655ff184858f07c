"""Where everything that is installed comes from: its licences, its bill of materials, and what is known against it."""
