"""Secrets: a table of patterns, the detector, and the redactor."""
