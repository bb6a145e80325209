"""Adapters for agent frameworks: one module per framework, each imported only where its framework is used.

Every adapter replaces what the model sees by the window of a stored conversation, and leaves the framework's own
state as it is. `shared` runs the engine and holds what all adapters do.
"""
