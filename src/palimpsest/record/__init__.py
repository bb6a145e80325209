"""What exists: messages, summaries, windows, branches, decisions. Values only, standard library only."""
