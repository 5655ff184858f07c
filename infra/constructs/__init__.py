"""The parts of the stack, one file each."""
