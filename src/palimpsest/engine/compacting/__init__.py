"""From a decision to a committed compaction: when it is made, by which model, and what replaces what."""
