"""Where messages, summaries and windows are kept: SQLite, and a store in memory for tests and trials."""
