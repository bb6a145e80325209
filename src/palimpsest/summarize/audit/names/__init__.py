"""Exact strings in a summary, held against its source: names, paths, ids, versions, numbers word for word."""
