"""Summaries by a model: how it is asked, what is done when it fails, and what its reply holds."""
