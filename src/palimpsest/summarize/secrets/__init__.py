"""Keys, tokens and passwords: what they look like, where they stand, and taking them out."""
