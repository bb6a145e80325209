"""Checks of a model's summary: its exact strings against the source, and its structure."""
