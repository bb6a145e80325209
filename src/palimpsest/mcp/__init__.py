"""The MCP server: stored conversations for any client that speaks the Model Context Protocol.

- Tools and resources only read, except that followed transcripts are imported first.
- Only the protocol goes to standard output; remarks go to standard error.
- The SDK is an extra. `launch.py` is the only entry point; `install.py` and `clients.py` work without the SDK.
"""
