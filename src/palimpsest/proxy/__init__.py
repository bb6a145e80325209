"""A proxy between a program and its provider: conversations are kept, and windows that no longer fit are compacted.

- A request is passed on as it came until the conversation's window has changed; then only its messages differ.
- On any fault of this package the request goes on as it came, and the log says so.
- Keys are passed on, and never stored or logged.
- `launch.py` is the entry point; the server needs the extra `proxy`.
"""
