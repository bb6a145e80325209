"""`palimpsest chat`: a chat in the terminal. What it reads, decides and draws are pure functions; `app` does the rest.

Nothing here is imported before the command runs, except `command`, which declares its options.
"""
