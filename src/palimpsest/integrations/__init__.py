"""Adapters for agent frameworks: one module per framework, each imported only where its framework is used.

Every adapter replaces what the model sees by the window of a stored conversation, and leaves the framework's own
state as it is. `hosting` runs the engine, and `threads` does what all adapters share.
"""
