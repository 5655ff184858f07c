"""What a node imports: a workspace to register, list, read and load in, and the seam through which it calls."""
