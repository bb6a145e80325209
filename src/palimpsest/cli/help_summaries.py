"""What the help of the whole program says of each command: the first sentence of what each says of itself, as a test
holds.

It stands here once more, so that who asks for it does not wait until all commands and what they use are imported.
"""

from __future__ import annotations

SAYS = {
    "demo": "Watch a long coding session pass through a small window.",
    "chat": "Chat with a model, in the terminal or through a pipe.",
    "import": "Import transcripts of coding agents.",
    "export": "Write a whole conversation to a file.",
    "list": "List the conversations, newest first.",
    "show": "Show the messages of a conversation, word for word.",
    "window": "Show exactly what the model would see next.",
    "compact": "Compact a window: what was decided and why, what was done.",
    "pin": "Keep words in every window.",
    "unpin": "Let pinned words go again: `palimpsest unpin last p1`.",
    "pins": "List what is pinned: `palimpsest pins last`.",
    "grep": "Find words, phrases and parts of words.",
    "search": "Find what answers a question: passages, best first.",
    "embed": "Make the vectors that messages lack.",
    "expand": "Read messages back in full, summaries as their sources.",
    "describe": "Say what lies under an id, and what reading it costs.",
    "trace": "Say which messages each line of a summary comes from.",
    "cost": "Say what sessions cost.",
    "prices": "Show what models cost.",
    "stats": "Count what is stored.",
    "forget": "Delete for good, messages or conversations.",
    "retain": "Forget old conversations.",
    "verify": "Examine all that is stored.",
    "doctor": "Say what is damaged and what of it can be repaired.",
    "backup": "Copy the database, as it is at one moment, while others use it.",
    "mcp": "Serve what is stored to a client that speaks MCP.",
    "config": "Show which settings count, and who says so.",
}
"""By name, in the order of the help text."""
