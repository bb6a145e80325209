"""Summaries by a model: requests, failures, and replies."""
