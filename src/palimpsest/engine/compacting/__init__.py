"""From a decision to a committed compaction: when, by whom, and what stands in the window then."""
