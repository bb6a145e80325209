"""What a conversation will be asked for again: files, commands, names and wishes, kept as messages arrive."""
