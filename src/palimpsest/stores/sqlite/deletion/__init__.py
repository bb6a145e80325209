"""Deletion of content: from the tables, the indexes, the free pages and the log."""
