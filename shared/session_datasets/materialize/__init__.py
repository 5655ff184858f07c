"""Lazy results become files under a byte budget; what the agent gets is a summary."""
