"""The store that ends with the process, for tests and trials."""

from palimpsest.stores.memory.store import MemoryStore

__all__ = ["MemoryStore"]
