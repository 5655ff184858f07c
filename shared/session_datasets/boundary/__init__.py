"""What crosses between nodes, and between a workflow and its activities: references, messages, typed values."""
