"""A reference implementation of the `Store` port over plain lists, which SQLite is compared with."""

from tests.reference_store.store import MemoryStore

__all__ = ["MemoryStore"]
