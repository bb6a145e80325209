"""One file for each command, or for commands that share most of their code."""
