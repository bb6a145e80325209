"""Where messages, summaries and windows are stored: a SQLite database, and rules that hold for every store."""
