"""Texts: cutting, blocks, terms, identifiers, and invisible characters."""
