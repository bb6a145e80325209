"""Secrets that people tell each other in sentences: passwords, keys, codes, accounts, and answers to a question."""
