"""Values: messages, summaries, windows, branches, decisions. Standard library only."""
