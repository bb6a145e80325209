"""Bills of sessions, and what other compaction policies would have cost: replays, reports and plots."""
