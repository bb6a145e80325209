"""The MCP server: what left the window, for any client that speaks the Model Context Protocol.

Rules kept here:

- The server reads: its tools and resources change nothing, except that followed transcripts are taken in first.
- Nothing but the protocol goes to standard output; remarks go to standard error.
- The SDK is an extra. `launch.py` is the one way in, and `install.py` and `clients.py` work without the SDK.
"""
