"""The word index: what goes into it, and what patterns and questions find."""
