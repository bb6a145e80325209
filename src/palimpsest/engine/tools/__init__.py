"""The tools with which a model reads back what left its window."""
