"""What sessions cost, and what other compaction policies would have cost: replays, reports and plots."""
