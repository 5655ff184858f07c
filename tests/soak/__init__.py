"""Many callers beside each other on a deployed stack, each of whose answers is compared with what it must be."""
