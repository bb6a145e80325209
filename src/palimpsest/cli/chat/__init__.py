"""The chat in the terminal. `app` has the loop, `state` the chat's data, `display` everything it says.

Nothing here is imported before `palimpsest chat` runs.
"""
