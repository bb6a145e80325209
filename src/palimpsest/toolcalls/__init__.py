"""What a tool call did and how it ended, read from its name, its arguments and its result."""
