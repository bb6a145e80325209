"""Summaries without a model: read, choose, write."""
