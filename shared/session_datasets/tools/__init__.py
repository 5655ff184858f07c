"""The verbs as a model's tools: one definition, many frameworks."""
