"""Texts: where they are cut, the blocks, terms and names in them, and signs that nobody sees."""
