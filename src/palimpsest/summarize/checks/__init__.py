"""What a model's summary is checked for: exact strings against its source, and its structure."""
