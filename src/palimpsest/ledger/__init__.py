"""The ledger: exact names, files, commands and requests from messages that left the window."""
